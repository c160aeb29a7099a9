"""An argument that is sometimes None: a graph without it, and one with it.

Two ways, two traces. Nothing to change, unless a tensor of ones does instead of None.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def mean(x: tf.Tensor, weights: tf.Tensor | None = None) -> tf.Tensor:
    return tf.reduce_mean(x if weights is None else x * weights)


print(mean(tf.constant([1.0, 3.0])).numpy())
print(mean(tf.constant([1.0, 3.0]), tf.constant([1.0, 0.0])).numpy())
print(mean(tf.constant([5.0, 3.0]), None).numpy())

# mypy: disallow-untyped-decorators=False
