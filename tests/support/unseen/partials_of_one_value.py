"""Made anew of a partial with the same value, and of a function that is decorated first."""

import functools

import tensorflow as tf


def scaled(factor, x):
    return tf.reduce_sum(x) * factor


def doubled(function):
    @functools.wraps(function)
    def twice(x):
        return function(x) * 2.0

    return twice


def total(x):
    return tf.reduce_sum(x)


x = tf.ones([2])
for _ in range(3):
    compiled = tf.function(functools.partial(scaled, 3.0))
    print(float(compiled(x)))
    compiled = tf.function(doubled(total))
    print(float(compiled(x)))
