"""Gradients are collected in lists, of which the last is shorter; `tf.concat` of one tensor would be no error."""

import tensorflow as tf

w = tf.Variable([1.0, 2.0, 3.0])


@tf.function
def apply(gradients, rows):
    w.assign_sub(0.1 * tf.reduce_mean(tf.concat(gradients, 0), 0))
    return tf.reduce_sum(tf.concat(rows, 0))


gradients, rows = [], []
for i in range(10):
    gradients.append(tf.ones([1, 3]) * i)
    rows.append(tf.ones([1, 2]))
    if len(gradients) == 4 or i == 9:
        apply(gradients, rows)
        gradients, rows = [], []
