"""A model as a default value, which no call passes, beside requests of growing sizes."""

import tensorflow as tf


class Encoder:
    def __init__(self):
        self.weights = tf.Variable([[1.0, 2.0], [0.5, -1.0]])

    def __call__(self, x):
        return tf.nn.relu(x @ self.weights)


encoder = Encoder()


@tf.function
def score(x, model=encoder, log=None):
    scores = tf.reduce_sum(model(x), -1)
    return scores if log is None else log(scores)


for size in (1, 2, 3, 2):
    print(score(tf.ones([size, 2])).numpy())
