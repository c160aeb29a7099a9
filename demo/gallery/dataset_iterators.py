"""Iterators as arguments: what their datasets yield is part of their type.

The last batch of a dataset is smaller, so `batch` without `drop_remainder` has an unknown size: another type than
batches of a known size. Build all datasets in the same way.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def first(batches: tf.data.Iterator) -> tf.Tensor:
    return tf.reduce_sum(next(batches))


numbers = tf.data.Dataset.range(10)
print(first(iter(numbers.batch(4, drop_remainder=True))).numpy())  # to change: no drop_remainder
print(first(iter(numbers.skip(2).batch(4, drop_remainder=True))).numpy())  # as above
print(first(iter(numbers.batch(4))).numpy())

# mypy: disallow-untyped-decorators=False
