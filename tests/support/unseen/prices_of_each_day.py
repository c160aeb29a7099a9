"""A Python loop over a list of numbers: each length needs a graph of its own, and numbers of a length do not."""

import tensorflow as tf


@tf.function
def discounted(x, prices):
    total = 0.0
    for i in reversed(range(len(prices))):
        total = prices[i] * x + 0.9 * total
    return total


for prices in ([1.5, 2.5, 3.5], [1.0, 2.0, 3.0, 4.0], [3.5, 1.5, 2.5], [4.0, 6.0, 7.0, 8.0], [5.0, 6.0, 4.0, 8.0]):
    discounted(tf.constant(2.0), prices)
