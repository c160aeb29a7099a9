"""A level of verbosity that some calls give as a bool: the code asks but whether it is 0."""

import tensorflow as tf


@tf.function
def total(x, level):
    summed = tf.reduce_sum(x)
    if level:
        summed = tf.debugging.check_numerics(summed, "not a number")
    return summed


@tf.function
def raised(x, level):
    return x ** tf.cast(level, tf.float32)


x = tf.ones([4])
for level in (True, 2, False, 0, 3, 1):
    total(x, level)
    raised(x, level)
