"""A loop of as many steps as is asked for, at last by a tensor."""

import tensorflow as tf


@tf.function
def run(x, n, verbose=False):
    i = 0
    while i < n:
        x = x * 2.0
        i += 1
    if verbose:
        tf.print(x)
    return x


for n in (1, 2, 3):
    print(run(tf.ones([2]), n).numpy())
print(run(tf.ones([2]), tf.constant(4)).numpy())
print(run(tf.ones([2, 1]), 2, verbose=True).numpy())
print(run(tf.ones([]), 2, verbose=tf.constant(True)).numpy())
