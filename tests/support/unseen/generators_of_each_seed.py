"""A generator of random numbers for each seed, passed to one function and closed over by another."""

import tensorflow as tf


@tf.function
def sample(rng, x):
    return x + rng.normal([2])


def sampler(seed):
    rng = tf.random.Generator.from_seed(seed)

    @tf.function
    def noisy(x):
        return x + rng.uniform([2])

    return noisy


for seed in range(3):
    rng = tf.random.Generator.from_seed(seed)
    print(sample(rng, tf.zeros([2])).numpy(), sample(rng, tf.zeros([2])).numpy())
    print(sampler(seed)(tf.zeros([2])).numpy())
