"""Tasks of five and of ten shots are scored by a partial that binds the same each time."""

import functools

import numpy as np
import tensorflow as tf


def adapted(x, y, steps, rate):
    weight = tf.constant(0.0)
    for _ in range(steps):
        weight -= rate * tf.reduce_mean(2.0 * (weight * x - y) * x)
    return tf.reduce_mean((weight * x - y) ** 2)


def evaluate(shots):
    x = np.linspace(-1.0, 1.0, shots).astype("float32")
    score = tf.function(functools.partial(adapted, steps=2, rate=0.1))
    return float(score(x, 3.0 * x))


scores = [evaluate(shots) for shots in (5, 10, 5, 10)]
assert scores[:2] == scores[2:]
assert all(0.0 < score < 4.5 for score in scores)
