"""A GAN that grows: the level chooses how many layers there are, and pictures grow with it; alpha is but a number."""

import tensorflow as tf

kernels = [tf.Variable(tf.ones([3, 3])) for _ in range(3)]


@tf.function
def train_step(images, alpha, level):
    x = images
    for i in range(level):
        x = alpha * (x @ kernels[i]) + (1.0 - alpha) * x
    return tf.reduce_mean(x)


for level in (1, 2, 3):
    for alpha in (0.25, 0.5, 1.0):
        train_step(tf.ones([4 * level, 3]), alpha, level)
