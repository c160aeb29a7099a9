"""The members of an ensemble are passed to one function, on batches of several sizes."""

import tensorflow as tf


class Member(tf.Module):
    def __init__(self, seed):
        super().__init__()
        self.weights = tf.Variable(tf.random.stateless_normal([2, 1], [seed, 0]))


@tf.function
def predict(member, x):
    return x @ member.weights


members = [Member(seed) for seed in range(2)]
for rows in (2, 5, 7):
    for member in members:
        predict(member, tf.ones([rows, 2]))
