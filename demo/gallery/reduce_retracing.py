"""`reduce_retracing=True`: at the second length TensorFlow gives up on lengths, and that trace serves all later ones.

Two traces instead of one per length. An input signature with an unknown dimension would need one.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(reduce_retracing=True)
def total(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(data)


for length in (2, 3, 4, 5):
    print(total(tf.ones([length])).numpy())

# mypy: disallow-untyped-decorators=False
