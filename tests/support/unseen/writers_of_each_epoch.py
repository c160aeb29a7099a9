"""A summary writer is made for each epoch and passed to the step."""

import tempfile

import tensorflow as tf

directory = tempfile.mkdtemp()


@tf.function
def step(x, writer, n):
    loss = tf.reduce_mean(x)
    with writer.as_default():
        tf.summary.scalar("loss", loss, step=n)
    return loss


for epoch in range(3):
    writer = tf.summary.create_file_writer(f"{directory}/{epoch}")
    for n in range(2):
        step(tf.ones([3]), writer, tf.constant(n, tf.int64))
