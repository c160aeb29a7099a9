"""Noise of generators of NumPy and Python, each with its seed, that are passed: what is drawn is a constant."""

import random

import numpy as np
import tensorflow as tf


@tf.function
def noisy(x, rng):
    return x + rng.normal()


@tf.function
def jittered(x, source):
    return x * source.uniform(0.5, 1.5)


x = tf.zeros([3])
for seed in range(3):
    print(noisy(x, np.random.default_rng(seed))[0], jittered(x, random.Random(seed))[0])
