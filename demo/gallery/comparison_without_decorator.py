"""D1. A comparison of tensors in a plain Python function: it is no `tf.function`, so nothing is traced.

Nothing to change, unless it is slow: then decorate it with `@tf.function`.
"""

from __future__ import annotations

import tensorflow as tf


def larger(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    if a > b:
        return a
    return b


print(larger(tf.constant(3), tf.constant(2)).numpy())
print(larger(tf.constant(1), tf.constant(2)).numpy())
