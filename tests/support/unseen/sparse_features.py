"""Sparse features with several dense shapes, and once in another dtype."""

import tensorflow as tf


@tf.function
def total(features):
    return tf.sparse.reduce_sum(features)


def features(rows, dtype=tf.float32):
    return tf.SparseTensor([[0, 0]], tf.ones([1], dtype), [rows, 3])


total(features(2))
total(features(2))
total(features(4))
total(features(2, tf.float64))
