"""A list of functions that the program adds a lambda to between its calls, each with another number."""

import tensorflow as tf

layers = [lambda x: x * 2.0]


@tf.function
def run(x, scale):
    for layer in layers:
        x = layer(x)
    return x * scale


for step in range(3):
    print(float(tf.reduce_sum(run(tf.ones([2]), 0.5 + step))))
    layers.append(lambda x: x + 1.0)
