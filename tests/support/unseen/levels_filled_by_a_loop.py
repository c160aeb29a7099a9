"""A pyramid from a level that the caller chooses: its list is filled at the loop's index."""

import tensorflow as tf

LEVELS = 4
layers = [tf.keras.layers.Dense(3) for _ in range(LEVELS)]
for layer in layers:
    layer.build((None, 3))


@tf.function
def pyramid(x, first):
    levels = [None for _ in range(LEVELS + 1)]
    for i in range(first, LEVELS + 1)[::-1]:
        if i == LEVELS:
            levels[i] = tf.zeros_like(x)
        else:
            levels[i] = layers[i](levels[i + 1]) + x
    return levels[first]


for first in (2, 1, 0):
    pyramid(tf.ones([2, 3]), first)
pyramid(tf.ones([4, 3]), 0)
