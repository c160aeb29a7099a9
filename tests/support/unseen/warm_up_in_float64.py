"""A warm-up on `np.zeros`, which are float64, before batches of float32 and rates that decay: the step casts both."""

import numpy as np
import tensorflow as tf

weights = tf.Variable(tf.zeros([4, 2]))


@tf.function
def step(images, labels, rate):
    images = tf.cast(images, tf.float32)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, images @ weights))
    weights.assign_sub(rate * tape.gradient(loss, weights))
    return loss


rng = np.random.default_rng(0)
step(np.zeros((16, 4)), np.zeros(16, "int64"), 0.0)
for epoch in range(3):
    for _ in range(2):
        images, labels = rng.normal(size=(16, 4)).astype("float32"), rng.integers(0, 2, 16)
        step(images, labels, 0.1 ** (epoch + 1))
