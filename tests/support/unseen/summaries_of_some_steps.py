"""The step is a Python number: a summary of every other step takes it, as an int64."""

import tempfile

import tensorflow as tf

writer = tf.summary.create_file_writer(tempfile.mkdtemp())
weight = tf.Variable(2.0)


@tf.function
def train_step(x, step):
    loss = tf.reduce_mean(x * weight)
    weight.assign_sub(0.1 * loss)
    with writer.as_default():
        if step % 2 == 0:
            tf.summary.scalar("loss", loss, step=step)
    return loss


for step in range(5):
    train_step(tf.ones([3]), step)
