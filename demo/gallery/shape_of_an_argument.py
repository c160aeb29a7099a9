"""B1. Vectors of three lengths, three traces: a tensor's shape is part of what a graph is made for.

Declare the length as unknown and one graph serves all: `@tf.function(input_signature=[tf.TensorSpec([None])])`.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function  # to change: add the input_signature
def total(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(data)


for values in ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0]):
    print(total(tf.constant(values)).numpy())

# mypy: disallow-untyped-decorators=False
