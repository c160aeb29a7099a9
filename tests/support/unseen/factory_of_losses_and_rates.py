"""A factory of steps in a search over losses and learning rates: the losses need a trace each, the rates do not."""

import tensorflow as tf

weights = tf.Variable([1.0, 2.0])


def squared(error):
    return tf.reduce_mean(error**2)


def absolute(error):
    return tf.reduce_mean(tf.abs(error))


def make_step(loss, rate):
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            value = loss(x * weights - 1.0)
        weights.assign_sub(rate * tape.gradient(value, weights))
        return value

    return step


for rate in (0.1, 0.01):
    for loss in (squared, absolute):
        step = make_step(loss, rate)
        for _ in range(2):
            step(tf.ones([2]))
