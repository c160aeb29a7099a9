"""A tf.Module is called with a bool, an int and a tensor where the others pass the same."""

import tensorflow as tf


class Block(tf.Module):
    @tf.function
    def __call__(self, x, training=False):
        return x * 2.0 if training else x


block = Block()
x = tf.ones([2])
block(x)
block(x, False)
block(x, training=True)
block(x, training=1)
block(x, training=0)
