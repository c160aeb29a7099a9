"""Each batch binds its gain to a function anew, and decorates that: one for all would have the first one's gain."""

import functools

import tensorflow as tf


def amplified(x, gain):
    return x * gain


@tf.function
def trimmed(x, k):
    best = sorted([3, 1, 2], key=lambda k: min(k, 2))
    return x * tf.cast(k, tf.float32) + float(best[0])


for k, gain in enumerate([1.0, 2.0, 3.0], start=1):
    amplify = tf.function(functools.partial(amplified, gain=tf.constant(gain)))
    print(amplify(tf.ones([2])).numpy())
    print(trimmed(tf.ones([2]), k).numpy())
