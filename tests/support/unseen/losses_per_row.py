"""Losses divided by the number of rows, which the code guards against not knowing.

Expected: traced for each number of rows, avoidable with an unknown one. `x.shape[0] or 1` is 1 then, without an error;
`guarded` divides by another number, and `both_ways` asks `tf.shape`, which is the same.
"""

import tensorflow as tf


@tf.function
def per_row(x):
    return tf.reduce_sum(x) / (x.shape[0] or 1)


@tf.function
def guarded(x):
    rows = x.get_shape()[0]
    weight = 1.0 / rows if rows is not None else 0.1
    return tf.reduce_sum(x) * weight


@tf.function
def both_ways(x):
    rows = x.shape[0]
    if rows is None:
        rows = tf.shape(x)[0]
    return tf.reduce_sum(x) / tf.cast(rows, tf.float32)


for rows in (2, 3, 4):
    x = tf.ones([rows, 2])
    print(float(per_row(x)), float(guarded(x)), float(both_ways(x)))
