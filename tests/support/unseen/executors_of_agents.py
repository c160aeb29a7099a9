"""Agents by name, and an epsilon that falls at each step: https://github.com/instadeepai/Mava/issues/346.

What is to be avoided is the traces for epsilon; each agent needs its own.
"""

import numpy as np
import tensorflow as tf


class Executor:
    def __init__(self):
        self.networks = {f"agent_{i}": tf.Variable(tf.random.stateless_normal([4, 3], [i, 1])) for i in range(3)}
        self.epsilon = 1.0

    @tf.function
    def policy(self, agent, observation, epsilon):
        greedy = tf.one_hot(tf.argmax(tf.linalg.matvec(self.networks[agent], observation, transpose_a=True)), 3)
        return (1.0 - epsilon) * greedy + epsilon / 3.0

    def select_actions(self, observations):
        self.epsilon *= 0.5
        return {agent: self.policy(agent, seen, self.epsilon) for agent, seen in observations.items()}


executor = Executor()
rng = np.random.default_rng(0)
for _ in range(4):
    executor.select_actions({f"agent_{i}": rng.random(4).astype("f4") for i in range(3)})
