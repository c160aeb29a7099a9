"""Concrete functions asked for by specification, some of them twice, then called."""

import tensorflow as tf


@tf.function
def double(x):
    return x * 2.0


small = double.get_concrete_function(tf.TensorSpec([2], tf.float32))
double.get_concrete_function(tf.TensorSpec([2], tf.float32))
anything = double.get_concrete_function(tf.TensorSpec([None], tf.float32))
small(tf.ones([2]))
anything(tf.ones([5]))
double(tf.ones([7]))
