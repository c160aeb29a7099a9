"""Rollouts that are passed as the TensorArrays that they were collected in."""

import tensorflow as tf


@tf.function
def returns(rewards):
    return tf.cumsum(rewards.stack(), reverse=True)


@tf.function
def counted(rewards):
    return rewards.size()


for length in (2, 3, 2):
    rewards = tf.TensorArray(tf.float32, size=length)
    for step in range(length):
        rewards = rewards.write(step, float(step))
    returns(rewards)
for _ in range(2):
    counted(tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False))
