"""A bound whose divergence is left out at first, and weighted more in each epoch."""

import tensorflow as tf

mean = tf.Variable(tf.ones([2]))
spread = tf.Variable(tf.zeros([2]))


@tf.function
def bound(x, beta):
    sample = mean + tf.exp(spread) * tf.random.stateless_normal([2], [1, 2])
    loss = tf.reduce_mean((x - sample) ** 2)
    if beta:
        loss += beta * tf.reduce_sum(0.5 * (mean**2 + tf.exp(2 * spread) - 1) - spread)
    return loss


for epoch in range(5):
    bound(tf.ones([4, 2]), min(1.0, epoch / 3))
