"""Batches grow, and later ones have weights: of what `reduce_retracing` widens for those, none is a trace without."""

import tensorflow as tf


@tf.function(reduce_retracing=True)
def step(x, y, weights=None):
    losses = (x - y) ** 2
    return tf.reduce_mean(losses if weights is None else losses * weights)


for rows in (1, 2, 3):
    step(tf.ones([rows]), tf.zeros([rows]))
for rows in (4, 5, 6):
    step(tf.ones([rows]), tf.zeros([rows]), tf.ones([rows]))
