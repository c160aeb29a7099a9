"""A trace that fails: the shapes do not fit, so there is no graph, and the next call of that shape traces again.

Each failing call pays for a trace and gets nothing. Check shapes before the call.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def product(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.matmul(a, b)


matrix = tf.ones([2, 3])
print(product(matrix, tf.ones([3, 2])).shape)
for _ in range(2):
    try:
        product(matrix, tf.ones([4, 2]))  # to change: a matrix of three rows
    except ValueError as error:
        print("ValueError:", str(error).strip().splitlines()[-1])

# mypy: disallow-untyped-decorators=False
