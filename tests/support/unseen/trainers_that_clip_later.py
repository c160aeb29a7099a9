"""Two trainers one after the other, each of which halves its rate and clips after a while: sizes decide nothing."""

import tensorflow as tf


class Trainer:
    def __init__(self, rate):
        self.rate, self.clip = rate, None
        self.weights = tf.Variable(tf.ones([3]))

    @tf.function
    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x * self.weights) ** 2)
        gradient = tape.gradient(loss, self.weights)
        if self.clip:
            gradient = tf.clip_by_value(gradient, -self.clip, self.clip)
        self.weights.assign_sub(self.rate * gradient)
        return loss


for rate in (0.1, 0.01):
    trainer = Trainer(rate)
    for rows in (4, 3, 2):
        print(float(trainer.train_step(tf.ones([rows, 3]))))
        trainer.rate *= 0.5
        if rows == 4:
            trainer.clip = 0.1
