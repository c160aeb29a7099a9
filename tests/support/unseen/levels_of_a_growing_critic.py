"""A critic that grows: each level has a way in of its own, and is faded in by a rate."""

import tensorflow as tf


class Critic(tf.Module):
    def __init__(self):
        super().__init__()
        self.ways_in = [tf.Variable(1.0) for _ in range(3)]
        self.blocks = [tf.Variable(0.5 + i) for i in range(3)]

    def __call__(self, x, level=0, alpha=1.0):
        h = self.ways_in[level] * x
        for i in range(level, 0, -1):
            h = h * self.blocks[i]
            if i == level:
                h = alpha * h + (1.0 - alpha) * self.ways_in[i - 1] * x
        return tf.reduce_mean(h * self.blocks[0])


class Trainer:
    def __init__(self):
        self.critic = Critic()

    @tf.function
    def step(self, x, level, alpha):
        with tf.GradientTape() as tape:
            loss = self.critic(x, level=level, alpha=alpha)
        used = [self.critic.ways_in[level], self.critic.blocks[0]]
        for variable, gradient in zip(used, tape.gradient(loss, used)):
            variable.assign_sub(0.1 * gradient)
        return loss


trainer = Trainer()
for level in range(3):
    for i in range(3):
        print(level, float(trainer.step(tf.ones([4]), level, (i + 1) / 4)))
