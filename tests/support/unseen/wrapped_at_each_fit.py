"""A trainer compiles its step whenever it is fitted: the second time a tf.function is made of a tf.function."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.weights = tf.Variable(tf.ones([3]))

    def evaluate(self, batch):
        return tf.reduce_sum(tf.linalg.matvec(batch, self.weights))

    def fit(self, batches):
        self.evaluate = tf.function(self.evaluate)
        for batch in batches:
            self.evaluate(batch)


trainer = Trainer()
for _ in range(3):
    trainer.fit([tf.ones([4, 3])] * 2)
