"""A map over examples and a Jacobian, outside a tf.function, and the same inside one."""

import tensorflow as tf

weights = tf.Variable(tf.ones([3, 3]))


def sensitivity(x):
    with tf.GradientTape() as tape:
        y = tf.tanh(x @ weights)
    return tape.jacobian(y, weights)


@tf.function
def compiled(x):
    return sensitivity(x), tf.vectorized_map(tf.reduce_sum, x)


for _ in range(3):
    x = tf.ones([2, 3])
    print(sensitivity(x).shape, tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x).shape)
    compiled(x)
