"""The Python number decides what is built, once where no tensor can take its place, and once where a loop can."""

import tensorflow as tf


@tf.function
def heads(x, n):
    return tf.stack([tf.nn.softmax(part) for part in tf.split(x, n, axis=-1)])


@tf.function
def refine(x, steps):
    for _ in tf.range(steps):
        x = tf.tanh(x)
    return x


for n in (1, 2, 4):
    heads(tf.ones([2, 8]), n)
    refine(tf.ones([2]), n)
