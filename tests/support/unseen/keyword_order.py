"""Keyword arguments in several orders, and extra ones through **kwargs."""

import tensorflow as tf


@tf.function
def combine(x, *, weight=1.0, **extra):
    for value in extra.values():
        x = x + value
    return x * weight


x = tf.ones([2])
combine(x, weight=2.0)
combine(weight=2.0, x=x)
combine(x, weight=2.0, bias=tf.ones([2]))
combine(x, bias=tf.ones([2]), weight=2.0)
combine(x, weight=2.0, shift=tf.ones([2]))
