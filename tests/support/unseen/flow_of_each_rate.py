"""A solver takes a function, made in each call for another rate, and points of another number."""

import tensorflow as tf


@tf.function
def solve(flow, points):
    return tf.reduce_sum(points + 0.1 * flow(points))


def decay(rate):
    return lambda points: -rate * points


def grow(points):
    return points * 2.0


for size, rate in ((2, 0.5), (3, 0.7), (4, 0.9)):
    print(solve(decay(rate), tf.ones([size])).numpy())
for size in (5, 6):
    print(solve(lambda points: grow(points), tf.ones([size])).numpy())
