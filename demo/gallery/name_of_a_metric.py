"""A string that chooses what the function does: one graph for each string.

With a few strings that is as it should be. With many (file names, ids) keep them out of the function, or pass a
`tf.constant`.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def reduced(x: tf.Tensor, how: str) -> tf.Tensor:
    return tf.reduce_sum(x) if how == "sum" else tf.reduce_mean(x)


for how in ("sum", "mean", "sum"):
    print(reduced(tf.constant([1.0, 3.0]), how).numpy())

# mypy: disallow-untyped-decorators=False
