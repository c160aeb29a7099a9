"""The order of a norm, which TensorFlow asks in Python: held by objects that are made anew, passed, closed over or read
by a function that is passed; and a rate beside an order that stays."""

import tensorflow as tf


class Settings:
    def __init__(self, order, rate):
        self.order, self.rate = order, rate


@tf.function
def passed(x, settings):
    return settings.rate * tf.norm(x, ord=settings.order)


@tf.function
def rated(x, settings):
    return settings.rate * tf.norm(x, ord=settings.order)


@tf.function
def applied(x, norm):
    return norm(x)


def make(settings):
    @tf.function
    def closed(x):
        return tf.norm(x, ord=settings.order)

    return closed


x, made = tf.ones([4]), []
for order in (1.5, 2.5, 3.5):
    passed(x, Settings(order, 1.0))
    rated(x, Settings(2.0, order))
    applied(x, lambda y: tf.norm(y, ord=order))
    made.append(make(Settings(order, 1.0)))
    made[-1](x)
