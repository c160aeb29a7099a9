"""A loop that is made of each trainer's method: models of other sizes, and another batch, need one each."""

import tensorflow as tf


class Trainer:
    def __init__(self, width):
        self.model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(width), tf.keras.layers.Dense(1)])

    def step(self, batches):
        for variable in self.model.trainable_variables:
            variable.assign_sub(0.1 * tf.reduce_mean(self.model(next(batches))) * variable)


def make_loop(step):
    @tf.function
    def loop(batches, steps):
        for _ in tf.range(steps):
            step(batches)

    return loop


for width, rows in (2, 4), (2, 4), (3, 4), (3, 6):
    data = tf.data.Dataset.from_tensors(tf.ones([rows, 3])).repeat()
    make_loop(Trainer(width).step)(iter(data), tf.constant(2))
