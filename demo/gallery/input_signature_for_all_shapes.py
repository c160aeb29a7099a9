"""E2. An input signature with unknown dimensions: three shapes, one trace. Nothing to change."""

from __future__ import annotations

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, None])])
def total(matrix: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(matrix)


for shape in ([10, 20], [10, 21], [3, 4]):
    print(total(tf.ones(shape)).numpy())

# mypy: disallow-untyped-decorators=False
