"""B2. One argument comes in three dtypes, and only one of them fits the other argument: one trace, two failed ones.

TensorFlow traces for each dtype, and tensors of two dtypes cannot be added. Cast to one dtype before the call.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def add(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return x + y


for dtype in (tf.int32, tf.float32, tf.int64):
    x = tf.constant([1, 2], dtype)
    try:
        print(add(x, tf.constant([0.5, 0.5])).numpy())  # to change: tf.cast(x, tf.float32)
    except TypeError as error:
        print("TypeError:", str(error).strip().splitlines()[-1])

# mypy: disallow-untyped-decorators=False
