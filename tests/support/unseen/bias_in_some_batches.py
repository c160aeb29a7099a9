"""Every other batch has a bias, which the code adds: ones in its place would be another result."""

import tensorflow as tf


@tf.function
def score(batch, augment):
    scores = tf.reduce_sum(batch["x"], 1)
    if "bias" in batch:
        scores = scores + batch["bias"]
    return tf.reduce_sum(scores) * (2.0 if augment else 1.0)


for number in range(4):
    batch = {"x": tf.ones([3, 2])}
    if number % 2:
        batch["bias"] = tf.fill([3], 2.0)
    assert float(score(batch, augment=True)) == (24.0 if number % 2 else 12.0)
assert float(score({"x": tf.ones([3, 2])}, augment=False)) == 6.0
