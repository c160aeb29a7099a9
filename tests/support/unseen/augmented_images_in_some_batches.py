"""Some batches have a dictionary of augmented images, and some have weights."""

import tensorflow as tf


@tf.function
def loss(batch):
    total = tf.reduce_sum(batch["image"])
    if "augmented" in batch:
        total += tf.reduce_sum(batch["augmented"]["image"])
    return total * tf.reduce_mean(batch.get("weights", 1.0))


for size, names in ((2, ()), (2, ("augmented",)), (2, ("augmented", "weights"))):
    batch = {"image": tf.ones([size, 4])}
    if "augmented" in names:
        batch["augmented"] = {"image": tf.ones([size, 4])}
    if "weights" in names:
        batch["weights"] = tf.ones([size])
    loss(batch)
