"""Weights come with some batches, of which there are several sizes."""

import tensorflow as tf


@tf.function(reduce_retracing=True)
def loss(batch):
    error = (batch["guess"] - batch["truth"]) ** 2
    return tf.reduce_sum(error * batch["weights"] if "weights" in batch else error)


for size, is_weighted in ((2, False), (4, True), (3, True), (5, False)):
    batch = {"guess": tf.ones([size]), "truth": tf.zeros([size])}
    if is_weighted:
        batch["weights"] = tf.ones([size])
    assert float(loss(batch)) == size
