"""Metrics of a report: partials of one function, and of a method, by place and by name; more rows each day."""

import functools

import tensorflow as tf


def total(x, axis, keep):
    return tf.reduce_sum(x, axis=axis, keepdims=keep)


class Quality:
    def __init__(self):
        self.weight = tf.constant(2.0)

    def score(self, mode, x):
        y = x * self.weight
        return tf.reduce_max(y) if mode == "max" else tf.reduce_sum(y)

    def rate(self, x, mode, scale=1.0):
        return scale * self.score(mode, x)


quality = Quality()
rows = tf.function(functools.partial(total, axis=1, keep=True))
columns = tf.function(functools.partial(total, axis=0, keep=True))
best = tf.function(functools.partial(quality.score, "max"))
rate = tf.function(functools.partial(Quality.rate, quality, mode="sum", scale=3.0))
for day in (2, 3, 4):
    table = tf.ones([day, 2])
    assert rows(table).shape == (day, 1)
    assert columns(table).shape == (1, 2)
    assert best(tf.range(float(day))) == 2.0 * (day - 1)
    assert rate(tf.ones([day])) == 6.0 * day
