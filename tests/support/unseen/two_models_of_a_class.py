"""An ensemble: three instances of one class, each asked several times."""

import tensorflow as tf


class Member(tf.Module):
    def __init__(self, seed):
        self.weight = tf.Variable(tf.random.stateless_normal([2, 2], [seed, 0]))

    @tf.function
    def predict(self, x):
        return x @ self.weight


members = [Member(seed) for seed in range(3)]
for _ in range(3):
    for member in members:
        member.predict(tf.ones([1, 2]))
