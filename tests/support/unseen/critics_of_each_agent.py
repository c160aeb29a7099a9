"""Each agent, one for each seed, updates its two critics in lines of their own; later batches are larger."""

import numpy as np
import tensorflow as tf


class Critic(tf.Module):
    def __init__(self, gain):
        super().__init__()
        self.weights = tf.Variable(gain * tf.ones([3, 1]))

    def __call__(self, states):
        return states @ self.weights


class Agent:
    def __init__(self, gain):
        self.critic_a, self.critic_b = Critic(gain), Critic(2.0 * gain)

    def train(self, states, values):
        loss_a = self._update(states, values, self.critic_a)
        loss_b = self._update(states, values, self.critic_b)
        return loss_a + loss_b

    @tf.function
    def _update(self, states, values, critic):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(critic(states) - values))
        (gradient,) = tape.gradient(loss, [critic.weights])
        critic.weights.assign_sub(0.1 * gradient)
        return loss


for seed in range(2):
    agent = Agent(1.0 + seed)
    for size in (4, 4, 6):
        print(agent.train(np.ones([size, 3], np.float32), np.ones([size, 1], np.float32)))
