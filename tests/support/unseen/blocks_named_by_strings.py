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
def scaled(x, name, rate):
    with tf.name_scope(name):
        return x * rate


@tf.function
def padded(x, name, rate):
    with tf.name_scope(name):
        return tf.concat([x, tf.fill([int(10 * rate)], 1.0)], 0)


@tf.function
def tagged(x, name, rate):
    return tf.strings.join([name, tf.strings.as_string(tf.reduce_sum(x) * rate)])


@tf.function
def announced(x, name):
    tf.print(name, tf.reduce_sum(x))
    return x * 2.0


x = tf.ones([8])
for name, rate in (("encoder", 0.1), ("decoder", 0.2), ("head", 0.3)):
    block(x, name)
    scaled(x, name, rate)
    padded(x, name, rate)
    tagged(x, name, rate)
    announced(x, name)
