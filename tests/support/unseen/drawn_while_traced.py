"""Noise of NumPy, an iterator and a count of updates, in Python within functions: of each trace, not of each call."""

import itertools

import numpy as np
import tensorflow as tf

temperatures = itertools.count(1)


class Agent:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.updates = self.traces = 0

    @tf.function
    def explore(self, observations):
        return tf.reduce_sum(observations + self.rng.normal(size=2).astype(np.float32))

    @tf.function
    def update(self, batch):
        self.updates += 1
        return tf.reduce_sum(batch) * self.updates

    @tf.function
    def evaluate(self, batch):
        self.traces += 1  # of which nothing comes
        return tf.reduce_sum(batch)


@tf.function
def cooled(x):
    return tf.reduce_sum(x) / next(temperatures)


agent = Agent()
found = []
for size in (2, 3, 4):
    found.append(float(agent.explore(tf.ones([size, 2]))) / size)
    assert float(agent.update(tf.ones([size]))) == size * (size - 1)
    agent.evaluate(tf.ones([size]))
    assert abs(float(cooled(tf.ones([size]))) - size / (size - 1)) < 1e-6
assert len(set(found)) == 3
