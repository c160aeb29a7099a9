"""An agent explores with an epsilon that decays, a Python float at each step; the observation is a NumPy array."""

import numpy as np
import tensorflow as tf


class Agent(tf.Module):
    def __init__(self):
        self.weight = tf.Variable(tf.ones([3, 2]))

    @tf.function
    def act(self, observation, epsilon=1.0):
        scores = tf.linalg.matvec(self.weight, observation, transpose_a=True)
        return tf.where(tf.random.uniform([]) < epsilon, 0, tf.argmax(scores, output_type=tf.int32))


agent = Agent()
epsilon = 1.0
for _ in range(5):
    agent.act(np.ones(3, np.float32), epsilon=epsilon)
    epsilon *= 0.9
agent.act(np.ones(3, np.float32))  # 1.0 again, by default
