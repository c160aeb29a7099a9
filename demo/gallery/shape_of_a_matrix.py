"""E1. One dimension of two is another one, so the function is traced again.

An input signature with `tf.TensorSpec([None, None])` serves both (see `input_signature_for_all_shapes.py`).
"""

from __future__ import annotations

import tensorflow as tf


@tf.function  # to change: add the input_signature
def total(matrix: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(matrix)


print(total(tf.ones([10, 20])).numpy())
print(total(tf.ones([10, 21])).numpy())

# mypy: disallow-untyped-decorators=False
