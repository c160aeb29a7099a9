"""A `tf.function` called eagerly, then while a `tf.Graph` is being built: traced once for each graph it is used in.

TensorFlow 1 style code does this. Nothing to change if there is one graph; do not make a new graph in a loop.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def double(x: tf.Tensor) -> tf.Tensor:
    return x * 2.0


print(double(tf.constant([1.0])).numpy())
with tf.Graph().as_default():
    double(tf.constant([1.0]))
    double(tf.constant([2.0]))

# mypy: disallow-untyped-decorators=False
