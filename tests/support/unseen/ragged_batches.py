"""Batches of sentences as ragged tensors of several numbers of rows."""

import tensorflow as tf


@tf.function
def lengths(words):
    return words.row_lengths()


for rows in ([[1], [2, 3]], [[1, 2, 3]], [[4], [5], [6, 7]], [[1], [2]]):
    lengths(tf.ragged.constant(rows))
