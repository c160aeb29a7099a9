"""Each trainer of a class has a step of its own: of batches of several sizes, with a mask and without one."""

import tensorflow as tf


class Trainer:
    def __init__(self, units):
        self.weight = tf.Variable(tf.ones([3, units]))

    @tf.function
    def step(self, x, mask=None):
        y = tf.reduce_mean(x @ self.weight, -1)
        if mask is not None:
            y = y * mask
        return tf.reduce_sum(y)


for units in (2, 5):
    trainer = Trainer(units)
    for n in (4, 3):
        x = tf.ones([n, 3])
        print(float(trainer.step(x)), float(trainer.step(x, tf.ones([n]))))
