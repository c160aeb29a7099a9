"""An activation takes its bounds as Python floats; callers spell the same numbers in several ways."""

import tensorflow as tf


@tf.function
def soft_shrink(x, lower=-0.5, upper=0.5):
    return tf.where(x < lower, x - lower, tf.where(x > upper, x - upper, tf.zeros_like(x)))


x = tf.ones([4])
soft_shrink(x)
soft_shrink(x, -0.5, 0.5)
soft_shrink(x, upper=0.5)
soft_shrink(x, -1, 1)
soft_shrink(x, -1.0, 1.0)
soft_shrink(x, lower=-1, upper=2)
