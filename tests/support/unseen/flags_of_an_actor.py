"""A policy that is asked for single states and batches, of NumPy's dtypes, and told by a bool whether it is a test."""

import numpy as np
import tensorflow as tf

weights = tf.Variable(tf.ones([3, 2]))


@tf.function
def action(state, test):
    if test:
        return tf.cast(state, tf.float32) @ weights
    return tf.cast(state, tf.float32) @ weights + 0.1


state = np.ones([1, 3], np.float32)
for batch, test in (
    (state, False),
    (state.astype("float64"), False),
    (np.ones([4, 3], np.float32), False),
    (state, True),
    (state, np.True_),
):
    action(batch, test)
