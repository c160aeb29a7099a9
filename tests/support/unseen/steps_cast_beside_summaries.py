"""A Python step that is cast to compute with, and the step of a summary, which takes an int64 alone."""

import tempfile

import tensorflow as tf

writer = tf.summary.create_file_writer(tempfile.mkdtemp())


@tf.function
def decayed(x, step):
    y = x / (1.0 + tf.cast(step, tf.float32))
    with writer.as_default():
        tf.summary.scalar("mean", tf.reduce_mean(y), step=step)
    return y


for step in range(3):
    decayed(tf.ones([3]), step)
