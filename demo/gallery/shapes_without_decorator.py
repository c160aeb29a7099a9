"""D2. Inputs of several shapes in a plain Python function: nothing is traced, whatever the shapes.

Nothing to change.
"""

from __future__ import annotations

import tensorflow as tf


def total(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(data)


print(total(tf.ones([2])).numpy())
print(total(tf.ones([2, 3])).numpy())
