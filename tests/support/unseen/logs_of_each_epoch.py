"""The epoch is a Python number that is written into texts and keys; a tensor would be written as `Tensor(…)`."""

import tensorflow as tf


@tf.function
def evaluate(x, epoch):
    tf.print(f"epoch {epoch}:", tf.reduce_sum(x), output_stream="file:///dev/null")
    return tf.reduce_mean(x)


@tf.function
def metrics(x, epoch):
    return {f"mean_{epoch}": tf.reduce_mean(x)}


for epoch in range(3):
    evaluate(tf.ones([2]), epoch)
    metrics(tf.ones([2]), epoch)
