"""XLA and sentences of many lengths, masked: one trace and one compilation for each length."""

import numpy as np
import tensorflow as tf

table = tf.Variable(np.random.default_rng(0).normal(size=(50, 4)), dtype=tf.float32)


@tf.function(jit_compile=True)
def embed(tokens, weights):
    rows = tf.gather(table, tokens) * weights[:, None]
    return tf.reduce_sum(rows, axis=0) / tf.reduce_sum(weights)


total = np.zeros(4)
for length in (7, 3, 12, 5, 30, 7, 11, 4, 28, 6, 13, 31, 3):
    tokens = np.arange(length, dtype=np.int32)
    weights = np.ones(length, np.float32)
    total += embed(tokens, weights).numpy()
print(np.round(total, 4))
