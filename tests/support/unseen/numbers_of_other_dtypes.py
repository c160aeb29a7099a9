"""Python numbers that become constants of other dtypes than `tf.constant` gives them: a summary's step, a divisor."""

import tempfile

import numpy as np
import tensorflow as tf

w = tf.Variable(np.zeros([3, 1], "float32"))
log_scale = tf.Variable(np.zeros([]))
writer = tf.summary.create_file_writer(tempfile.mkdtemp())


@tf.function
def train_step(x, accumulated, gamma, step):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w - 1.0) ** 2) / accumulated
    w.assign_sub(0.1 * tape.gradient(loss, w))
    log_scale.assign_sub(gamma * tf.exp(log_scale))
    with writer.as_default():
        tf.summary.scalar("loss", loss, step=step)


for accumulated, gamma, step in ((1, 0.1, 0), (2, 0.1, 0), (2, 0.2, 0), (2, 0.2, 1), (4, 0.1, 2)):
    train_step(tf.ones([4, 3]), accumulated, gamma, step)
