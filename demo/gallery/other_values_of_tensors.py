"""D3. A decorated function called with other values of the same shape and dtype: one trace.

The values of tensors are inputs of the graph and no part of it. Nothing to change.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def add(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return a + b


print(add(tf.constant(1), tf.constant(2)).numpy())
print(add(tf.constant(30), tf.constant(40)).numpy())

# mypy: disallow-untyped-decorators=False
