"""Transitions of a replay buffer as named tuples, batches of two sizes and one with another field type."""

import collections

import tensorflow as tf

Transition = collections.namedtuple("Transition", ["state", "action", "done"])


@tf.function
def learn(transition):
    return tf.reduce_sum(transition.state) + tf.cast(transition.action[0], tf.float32)


def batch(size, done):
    return Transition(tf.ones([size, 3]), tf.zeros([size], tf.int32), done)


learn(batch(4, tf.zeros([4])))
learn(batch(4, tf.zeros([4])))
learn(batch(2, tf.zeros([2])))
learn(batch(4, tf.zeros([4], tf.bool)))
learn(batch(4, False))
