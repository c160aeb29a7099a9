"""A `tf.function` that calls another: the inner one is traced while the outer one is.

The outer function's new shape is passed on, so both are traced again, and the inner time is part of the outer's.
Give the outer one an input signature; the inner one then needs none.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def normalized(x: tf.Tensor) -> tf.Tensor:
    return x / tf.reduce_sum(x)


@tf.function  # to change: @tf.function(input_signature=[tf.TensorSpec([None])])
def entropy(x: tf.Tensor) -> tf.Tensor:
    p = normalized(x)
    return -tf.reduce_sum(p * tf.math.log(p))


for length in (2, 4):
    print(entropy(tf.ones([length])).numpy())

# mypy: disallow-untyped-decorators=False
