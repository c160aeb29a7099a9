"""`get_concrete_function` for two specifications, then calls: what was traced in advance is not traced again.

A specification with an unknown dimension serves all shapes that follow. Each number has a graph of its own; passed as
a tensor, one graph would do.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def scaled(x: tf.Tensor, by: float) -> tf.Tensor:
    return x * by


scaled.get_concrete_function(tf.TensorSpec([None, 4]), 2.0)
scaled.get_concrete_function(tf.TensorSpec([None, 4]), 0.5)
for rows in (1, 2, 3):
    print(scaled(tf.ones([rows, 4]), 2.0).shape)

# mypy: disallow-untyped-decorators=False
