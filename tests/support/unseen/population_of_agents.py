"""Evolution strategies: each member is a list of NumPy arrays; populations grow."""

import numpy as np
import tensorflow as tf


@tf.function
def fitness(members, x):
    outs = [tf.nn.tanh(x @ m["w"]) @ m["v"] for m in members]
    return tf.stack([tf.reduce_mean(o) for o in outs])


def member():
    return {"w": np.ones((2, 4), "float32"), "v": np.ones((4, 1), "float32")}


for size in (2, 3, 4):
    fitness([member() for _ in range(size)], tf.ones([5, 2]))
