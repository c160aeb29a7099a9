"""D1b. A decorated function that takes the one branch, then the other: one trace has both.

The values of tensors never cause a retrace; AutoGraph turned the `if` into a `tf.cond`. Nothing to change.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def larger(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    if a > b:
        return a
    return b


print(larger(tf.constant(3), tf.constant(2)).numpy())
print(larger(tf.constant(1), tf.constant(2)).numpy())

# mypy: disallow-untyped-decorators=False
