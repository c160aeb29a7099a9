"""Functions that call themselves, or each other, with a smaller Python number: it is what ends the recursion."""

import tensorflow as tf


@tf.function
def power(x, n):
    return tf.ones_like(x) if n == 0 else x * power(x, n - 1)


@tf.function
def even(x, n):
    return x if n == 0 else odd(x + 1.0, n - 1)


@tf.function
def odd(x, n):
    return x if n == 0 else even(x * 2.0, n - 1)


power(tf.constant(2.0), 2)
power(tf.constant(2.0), 3)
even(tf.constant(1.0), 3)
