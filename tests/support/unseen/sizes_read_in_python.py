"""A mean over `x.shape[0]`, a rate by `len(x)`, positions by NumPy, or cut from a table: none has an unknown size."""

import numpy as np
import tensorflow as tf

table = tf.range(16, dtype=tf.float32)


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
def looked_up(x):
    return x + table[: x.shape[0]]


@tf.function
def measured(x):
    return tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32) + tf.reduce_mean(x)


for n in (4, 5, 6):
    for function in (mean, scaled, placed, looked_up, measured):
        function(tf.range(n, dtype=tf.float32))
