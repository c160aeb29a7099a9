"""A dictionary's keys in several orders, and one key more."""

import tensorflow as tf


@tf.function
def f(features):
    return features["a"] + features["b"]


a, b = tf.ones([2]), tf.ones([2])
f({"a": a, "b": b})
f({"b": b, "a": a})
f({"a": a, "b": b, "c": a})
