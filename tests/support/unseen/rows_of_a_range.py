"""Ranges as arguments: rows that are gathered, and steps that are unrolled."""

import tensorflow as tf


@tf.function
def rows(x, places):
    return tf.reduce_sum(tf.gather(x, places))


@tf.function
def unrolled(x, steps):
    for _ in steps:
        x = x * 2.0
    return x


table = tf.range(12.0)
for start in (0, 4, 8):
    rows(table, range(start, start + 4))
for count in (2, 3):
    unrolled(tf.constant(1.0), range(count))
