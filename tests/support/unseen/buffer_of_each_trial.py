"""DDPG: the decorated method of a buffer is called by another of its methods; each trial has a buffer."""

import tensorflow as tf

critic = tf.Variable(1.0)


class Buffer:
    def __init__(self, capacity):
        self.rewards = tf.ones([capacity])

    @tf.function
    def update(self, rewards):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((rewards - critic) ** 2)
        critic.assign_sub(0.1 * tape.gradient(loss, critic))
        return loss

    def learn(self):
        return self.update(self.rewards[:4])


for trial in range(3):
    buffer = Buffer(8)
    buffer.learn()
