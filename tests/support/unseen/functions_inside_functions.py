"""Helpers are compiled where they are defined, inside a step that is compiled itself."""

import tensorflow as tf

w = tf.Variable(2.0)


@tf.function
def step(x, n):
    @tf.function
    def scaled(k):
        return x * k

    @tf.function(
        reduce_retracing=True,
    )
    def shifted(k):
        return scaled(k) + w

    more = tf.function(lambda v: v + n)
    return shifted(2.0) + scaled(3.0) + more(x)


step(tf.ones([2]), 1.0)
step(tf.ones([2]), 2.0)
