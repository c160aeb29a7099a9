"""A Python bool, for training or not: two values, two graphs, and never more.

That is what a flag is for. Nothing to change.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def dropped(x: tf.Tensor, training: bool = False) -> tf.Tensor:
    return tf.nn.dropout(x, 0.5) if training else x


for training in (True, False, True, False):
    dropped(tf.ones([4]), training=training)

# mypy: disallow-untyped-decorators=False
