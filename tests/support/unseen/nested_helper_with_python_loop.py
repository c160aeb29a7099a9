"""An outer function calls an inner one with a Python index of its own loop."""

import tensorflow as tf


@tf.function
def layer(x, index):
    return x * float(index + 1)


@tf.function
def network(x):
    for index in range(3):
        x = layer(x, index)
    return x


network(tf.ones([2]))
network(tf.ones([3]))
