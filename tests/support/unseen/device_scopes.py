"""The same function under several device scopes."""

import tensorflow as tf


@tf.function
def f(x):
    return x + 1.0


x = tf.ones([2])
f(x)
with tf.device("/CPU:0"):
    f(x)
with tf.device("/CPU:0"):
    f(x)
