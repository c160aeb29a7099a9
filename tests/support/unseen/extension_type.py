"""A user's ExtensionType with a tensor and a plain value."""

import tensorflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    scale: float = 1.0


@tf.function
def total(masked):
    return tf.reduce_sum(masked.values) * masked.scale


total(Masked(tf.ones([2])))
total(Masked(tf.ones([2]), 1.0))
total(Masked(tf.ones([3])))
total(Masked(tf.ones([3]), 2.0))
