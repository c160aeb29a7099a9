"""What functions compute of a step with `math`, of a list by an index, and by repeating a list."""

import math

import tensorflow as tf

TEMPERATURES = [1.0, 0.7, 0.5, 0.25]
x = tf.constant([[1.0, 2.0]])


@tf.function
def decayed(x, step):
    return x * math.exp(-0.1 * step)


@tf.function
def cooled(x, step):
    return x / TEMPERATURES[step]


@tf.function
def repeated(x, times):
    return tf.reduce_sum(tf.concat([x] * times, 0))


for n in range(1, 4):
    print(decayed(x, n).numpy().tolist())
    print(cooled(x, n).numpy().tolist())
    repeated(x, n)
