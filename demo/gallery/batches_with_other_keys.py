"""Batches as dictionaries: one has a key more, one has a longer list in it, and both are traced anew.

The structure of an argument is part of the signature. Give every batch the same keys, and stack the list into one
tensor.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def loss(batch: dict[str, tf.Tensor | list[tf.Tensor]]) -> tf.Tensor:
    x = tf.add_n(batch["parts"])
    return tf.reduce_mean(x * batch["mask"] if "mask" in batch else x)


part = tf.constant([1.0, 2.0])
print(loss({"parts": [part, part]}).numpy())
print(loss({"parts": [part, part], "mask": tf.constant([1.0, 0.0])}).numpy())  # to change: give all a mask
print(loss({"parts": [part, part, part]}).numpy())  # to change: tf.stack(...), and tf.reduce_sum above

# mypy: disallow-untyped-decorators=False
