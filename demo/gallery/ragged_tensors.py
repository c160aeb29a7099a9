"""Ragged tensors with another number of rows: their type holds it, so each number is traced.

Declare it as unknown: `@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])`.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function  # to change: add the input_signature
def words_per_text(texts: tf.RaggedTensor) -> tf.Tensor:
    return tf.reduce_mean(tf.cast(texts.row_lengths(), tf.float32))


print(words_per_text(tf.ragged.constant([[1, 2], [3]])).numpy())
print(words_per_text(tf.ragged.constant([[1, 2, 3, 4], [5, 6]])).numpy())  # other rows of as many: no trace
print(words_per_text(tf.ragged.constant([[1], [2], [3, 4, 5]])).numpy())

# mypy: disallow-untyped-decorators=False
