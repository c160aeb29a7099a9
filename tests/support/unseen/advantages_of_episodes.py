"""Advantages by a Python loop over an episode's steps, with a lambda that is annealed: an unknown length fails."""

import tensorflow as tf


@tf.function
def advantages(rewards, values, lam):
    found, last = [], 0.0
    for t in reversed(range(rewards.shape[0])):
        last = rewards[t] + 0.9 * values[t + 1] - values[t] + 0.9 * lam * last
        found.append(last)
    return tf.stack(found[::-1])


for steps, lam in ((3, 0.95), (5, 0.95), (4, 0.9), (3, 0.9)):
    advantages(tf.range(steps, dtype=tf.float32), tf.ones([steps + 1]), lam)
