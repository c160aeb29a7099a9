"""Ids that are strings in some files and whole numbers in others; and an exporter that asks for each dtype."""

import tensorflow as tf


@tf.function
def bucket(ids):
    return tf.strings.to_hash_bucket_fast(ids, 10) if ids.dtype == tf.string else ids % 10


@tf.function
def row_sums(x):
    return tf.reduce_sum(x, 1)


for ids in (tf.constant(["a"]), tf.constant([12], tf.int64), tf.constant([3], tf.int32)):
    bucket(ids)
row_sums.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
double = row_sums.get_concrete_function(tf.TensorSpec([None, 2], tf.float64))
row_sums([[1.0, 2.0]])
