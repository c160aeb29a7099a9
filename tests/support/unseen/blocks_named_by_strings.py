"""A block of layers that each caller names: its operations, in a loop and a branch of the graph, are called by that."""

import tensorflow as tf


@tf.function
def block(x, name):
    with tf.name_scope(name):
        for _ in tf.range(3):
            x = tf.multiply(x, 0.5, name=f"{name}_scaled")
        if tf.reduce_sum(x) > 1.0:
            x = tf.nn.relu(x)
    return tf.identity(x, name=name)


@tf.function
def announced(x, name):
    tf.print(name, tf.reduce_sum(x))
    return x * 2.0


x = tf.ones([8])
for name in ("encoder", "decoder", "head"):
    block(x, name)
    announced(x, name)
