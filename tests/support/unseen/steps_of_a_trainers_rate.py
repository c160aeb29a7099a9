"""A step that is made anew in each epoch and reads the rate of the one trainer that it closes over."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.weight = tf.Variable(2.0)
        self.rate = 0.1

    def make(self):
        @tf.function
        def step(gradient):
            return self.weight.assign_sub(self.rate * gradient)

        return step


trainer = Trainer()
for epoch in range(3):
    trainer.rate = 0.1 / (epoch + 1)
    step = trainer.make()
    print(step(tf.constant(1.0)).numpy())
