"""Tables that are made when they are first asked for, within the function that looks things up in them."""

import tensorflow as tf

TABLES = {}


def table(size):
    if size not in TABLES:
        TABLES[size] = tf.Variable(tf.range(float(size)))
    return TABLES[size]


@tf.function
def encode(ids, size):
    return tf.reduce_sum(tf.gather(table(size), ids))


for count, size in ((2, 4), (3, 4), (2, 6)):
    try:
        encode(tf.range(count), size)
    except ValueError:
        assert size == 6
