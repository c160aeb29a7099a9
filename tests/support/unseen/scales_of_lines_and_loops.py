"""Scales that are whole at one line and fractions in a loop, and a cast that is looked up by its bits."""

import tensorflow as tf


def scale_by(factor):
    @tf.function
    def scaled(x):
        return x * factor

    return scaled


@tf.function
def cast(x, bits):
    return tf.cast(x, {16: tf.float16, 32: tf.float32, 64: tf.float64}[bits])


x = tf.ones([3])
print(scale_by(2)(x).numpy())
for factor in (0.5, 4.0):
    print(scale_by(factor)(x).numpy())
for bits in (16, 32, 64):
    print(cast(x, bits).numpy())
