"""Population-based training: members take over what the best one has, with another rate, and are compiled again."""

import tensorflow as tf


class Member:
    def __init__(self, rate):
        self.rate = rate
        self.weights = tf.Variable([1.0, 1.0])
        self.compile()

    def compile(self):
        self.step = tf.function(self._step)

    def _step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((self.weights * x) ** 2)
        self.weights.assign_sub(self.rate * tape.gradient(loss, self.weights))
        return loss

    def exploit(self, best):
        self.weights.assign(best.weights)
        self.rate = best.rate * 0.8
        self.compile()


population = [Member(rate) for rate in (0.1, 0.2, 0.3)]
for _ in range(3):
    losses = [float(member.step(tf.constant([0.1, 0.2]))) for member in population]
    print(losses)
    best = population[losses.index(min(losses))]
    for member in population:
        if member is not best:
            member.exploit(best)
