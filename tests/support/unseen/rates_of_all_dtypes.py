"""A learning rate is a Python number, then what NumPy makes, in two dtypes; what is ragged has two dtypes as well."""

import numpy as np
import tensorflow as tf

weights = tf.Variable([1.0, 2.0])


@tf.function
def descend(gradient, rate):
    weights.assign_sub(tf.cast(rate, tf.float32) * gradient)


@tf.function
def total(values):
    return tf.reduce_sum(tf.cast(values.flat_values, tf.float32))


descend(tf.ones([2]), 0.1)
for rate in np.linspace(0.1, 0.01, 3):
    descend(tf.ones([2]), rate)
descend(tf.ones([2]), np.float32(0.05))
for values in ([[1], [2, 3]], [[1.0], [2.0, 3.0]]):
    total(tf.ragged.constant(values))
