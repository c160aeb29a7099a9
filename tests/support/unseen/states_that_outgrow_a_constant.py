"""Sequences of several lengths, with a state of zeros that TensorFlow makes otherwise from 1,000 elements on."""

import numpy as np
import tensorflow as tf

w = tf.Variable(tf.ones([16, 16]) * 0.1)


@tf.function
def encode(words):
    state = tf.zeros_like(words)
    gate = tf.ones([1, words.shape[-1]])
    return tf.tanh(tf.matmul(words * gate + state, w))


rng = np.random.default_rng(0)
for length in (20, 50, 70, 90, 40, 100):
    encode(rng.random((length, 16)).astype("float32"))
