"""Settings of a named tuple, another one in each phase, and batches of a size of their own in each."""

from typing import NamedTuple

import tensorflow as tf


class Settings(NamedTuple):
    rate: float = 0.5
    decay: float = 0.0


settings = Settings()
weights = tf.Variable([1.0, 2.0])


@tf.function
def step(x):
    error = tf.reduce_mean(x, axis=0) - weights
    weights.assign_add(settings.rate * error - settings.decay * weights)
    return tf.reduce_sum(error**2)


for phase, size in enumerate((8, 4, 2)):
    settings = settings._replace(rate=0.5 / (phase + 1))
    for _ in range(2):
        print(float(step(tf.ones([size, 2]))))
