"""A mean over `x.shape[0]`, a rate by `len(x)`, positions by NumPy: none of which an unknown size has."""

import numpy as np
import tensorflow as tf


@tf.function
def mean(x):
    return tf.reduce_sum(x, 0) / x.shape[0]


@tf.function
def scaled(x):
    return tf.reduce_sum(x) * (0.1 * len(x) / 8)


@tf.function
def placed(x):
    return x + np.arange(x.shape[0], dtype=np.float32)


@tf.function
def measured(x):
    return tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32) + tf.reduce_mean(x)


for n in (4, 5, 6):
    for function in (mean, scaled, placed, measured):
        function(tf.range(n, dtype=tf.float32))
