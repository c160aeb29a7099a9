"""Ragged batches of several numbers of rows, beside a mode that no input signature can declare."""

import tensorflow as tf


@tf.function
def pool(words, mode):
    return tf.reduce_sum(words) if mode == "sum" else tf.reduce_max(words)


for mode in ("sum", "max"):
    for rows in (2, 3, 4):
        pool(tf.ragged.constant([[1.0, 2.0]] * rows), mode)
