"""An agent whose discount is raised after each episode; episodes are of other lengths, so that each is traced anew."""

import tensorflow as tf


class Agent:
    def __init__(self):
        self.gamma = 0.5

    @tf.function
    def discounted(self, rewards):
        return tf.reduce_sum(rewards) * self.gamma


agent = Agent()
for length in (2, 3, 4):
    agent.gamma = 0.5 + length / 10
    returns = agent.discounted(tf.ones([length]))
    # with one trace, and the number as it is, it is that of the first episode
    assert abs(float(returns) - length * (0.5 + length / 10)) < 1e-6
