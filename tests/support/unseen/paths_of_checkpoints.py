"""Long keys that begin alike; and variables that are trained or not."""

import tensorflow as tf

ROOT = "/mnt/experiments/2026-11-25/" + "language-models/" * 8


@tf.function
def averaged(weights):
    return tf.add_n(list(weights.values())) / len(weights)


for step in (1000, 2000, 1000):
    averaged({f"{ROOT}checkpoint-{step}": tf.ones([2])})


@tf.function
def norm(weight):
    return tf.reduce_sum(weight**2)


norm(tf.Variable(tf.ones([2])))
norm(tf.Variable(tf.zeros([2])))
norm(tf.Variable(tf.ones([2]), trainable=False))
