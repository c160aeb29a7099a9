"""Scales that are whole at one line and fractions in a loop."""

import tensorflow as tf


def scale_by(factor):
    @tf.function
    def scaled(x):
        return x * factor

    return scaled


x = tf.ones([3])
print(scale_by(2)(x).numpy())
for factor in (0.5, 4.0):
    print(scale_by(factor)(x).numpy())
