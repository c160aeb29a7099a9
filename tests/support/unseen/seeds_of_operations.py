"""Seeds as arguments, of which one is an operation's attribute, and a seed for all: each trace draws from its start."""

import tensorflow as tf

tf.random.set_seed(3)


@tf.function
def stateless(seed):
    return tf.random.stateless_normal([2], seed=[seed, 0])


@tf.function
def stateful(seed):
    return tf.random.normal([2], seed=seed)


@tf.function
def noisy(mean, scale):
    return mean + scale * tf.random.normal([2])


for seed in range(3):
    stateless(seed)
    stateful(seed)
drawn = [noisy(tf.zeros([2]), scale) / scale for scale in (1.0, 0.5, 0.25)]
assert all(abs(float(one[0] - drawn[0][0])) < 1e-5 for one in drawn)
