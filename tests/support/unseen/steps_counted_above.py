"""A trainer whose step a decorator counts: it passes `self` on as any argument is, to one tf.function for all."""

import functools

import tensorflow as tf


def counted(function):
    @functools.wraps(function)
    def run(self, images, rate):
        self.calls += 1
        return function(self, images, rate)

    return run


class Trainer:
    def __init__(self):
        self.calls = 0
        self.weights = tf.Variable(tf.ones([4]))

    @counted
    @tf.function
    def step(self, images, rate):
        self.weights.assign_sub(rate * tf.reduce_sum(images, axis=0))
        return tf.reduce_sum(self.weights)


trainer = Trainer()
for size in (2, 3, 5):
    trainer.step(tf.ones([size, 4]), 0.5)
for rate in (0.25, 0.125):
    trainer.step(tf.ones([2, 4]), rate)
