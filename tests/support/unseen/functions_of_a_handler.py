"""A handler of requests that makes tf.functions in each: of a static method, of a partial, of a lambda."""

import functools

import tensorflow as tf


class Handler:
    def __init__(self):
        self.weights = tf.Variable([1.0, 2.0])

    @staticmethod
    def _scaled(x):
        return x * 2.0

    def score(self, x, power):
        return tf.reduce_sum(x * self.weights) ** power

    def handle(self, x):
        scaled = tf.function(Handler._scaled, autograph=False)(x)
        total = tf.function(functools.partial(self.score, power=2.0))(scaled)
        last = tf.function(lambda v: v + 1.0, input_signature=[tf.TensorSpec([], tf.float32)], autograph=False)
        return last(total)


handler = Handler()
for n in range(3):
    handler.handle(tf.ones([2]) * n)
