"""A method of an instance that is made in place: TensorFlow holds it by a weak reference, and it is gone."""

import tensorflow as tf


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    @tf.function
    def scaled(self, x):
        return x * self.factor


x = tf.ones([4])
total = 0.0
for factor in (2.0, 3.0, 4.0):
    try:
        total += tf.reduce_sum(Scaler(factor).scaled(x))
    except AttributeError:
        print("self is None")
