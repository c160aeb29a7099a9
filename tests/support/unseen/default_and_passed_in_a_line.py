"""Averages that are compared in one line: one with the default value, one with another, nested in each other too."""

import tensorflow as tf


@tf.function
def smooth(series, width=3.0):
    return tf.reduce_mean(series) / width


series = tf.range(8.0)
level = smooth(series)
difference = smooth(series) - smooth(series, 6.0)
twice = smooth(smooth(series, 2.0))
print(float(level), float(difference), float(twice))
