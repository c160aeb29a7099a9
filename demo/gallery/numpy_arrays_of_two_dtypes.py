"""NumPy makes float64, TensorFlow float32: the same numbers are traced twice, once for each dtype.

Convert to one dtype before the call.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf


@tf.function
def spread(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_max(data) - tf.reduce_min(data)


print(spread(tf.constant([1.0, 2.0, 4.0])).numpy())
print(spread(np.array([1.0, 2.0, 4.0])).numpy())  # to change: np.array([...], np.float32)
print(spread(np.array([3.0, 7.0, 9.0])).numpy())  # the values of an array do not matter

# mypy: disallow-untyped-decorators=False
