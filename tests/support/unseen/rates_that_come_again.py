"""A rate that is written out in each call; some calls are served by the trace of an earlier line."""

import tensorflow as tf


@tf.function
def decayed(x, rate):
    return tf.reduce_sum(x * rate)


x = tf.ones([4])
decayed(x, 0.5)
decayed(x, 0.25)
decayed(x, 0.125)


def evaluated(values):
    return decayed(values, 0.25)


total = evaluated(x) + decayed(
    x,
    0.5,
)
