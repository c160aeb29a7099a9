"""A slope that decays, a window that grows, strides in a tuple: operations take no tensor there. A length they take."""

import tensorflow as tf


@tf.function
def activate(x, slope):
    return tf.nn.leaky_relu(x, alpha=slope)


@tf.function
def pooled(x, size):
    return tf.nn.max_pool1d(x, size, size, "SAME")


@tf.function
def strided(x, strides):
    return tf.nn.conv2d(x, tf.ones([1, 1, 1, 1]), strides=strides, padding="SAME")


@tf.function
def powers(n):
    found = tf.TensorArray(tf.float32, size=n, element_shape=[])
    for i in tf.range(n):
        found = found.write(i, 2.0 ** tf.cast(i, tf.float32))
    return found.stack()


for k in (2, 3, 4):
    activate(tf.constant([-1.0]), 1.0 / k)
    pooled(tf.ones([1, 12, 1]), k)
    strided(tf.ones([1, 6, 6, 1]), (k, k))
    powers(k)
