"""A vector, then a matrix, then a single number: a tensor's number of dimensions is part of the signature.

`tf.TensorSpec(None)`, of unknown rank, serves all; or reshape to one rank before the call.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function  # to change: @tf.function(input_signature=[tf.TensorSpec(None)])
def norm(x: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(tf.reduce_sum(x * x))


for shape in ([4], [4, 4], []):
    print(norm(tf.ones(shape)).numpy())

# mypy: disallow-untyped-decorators=False
