"""A loss is passed as a function, as an object that is called, made anew for each call, and as a partial."""

import functools

import tensorflow as tf


def mse(y, p):
    return tf.reduce_mean((y - p) ** 2)


def mae(y, p):
    return tf.reduce_mean(tf.abs(y - p))


class Weighted:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, y, p):
        return mse(y, p) * self.weight


@tf.function
def loss(fn, y, p, reduction="mean"):
    value = fn(y, p)
    return value if reduction == "mean" else 2.0 * value


y, p = tf.ones([2, 3]), tf.zeros([2, 3])
loss(mse, y, p)
loss(mae, y, p)
loss(mse, y, p)
for _ in range(2):
    loss(Weighted(0.5), y, p)
for _ in range(2):
    loss(functools.partial(mse), y, p)
loss(mse, y, p, reduction="sum")
