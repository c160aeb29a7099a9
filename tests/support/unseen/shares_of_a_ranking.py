"""Metrics at a share of a ranking: the number of rows is computed of it in Python.

Expected: `kept` and each `best` for each share, avoidable. `int(0.29 * 100)` is 28, and 29 of a tensor of float32: a
tensor changes results without an error. Whole numbers of rows do not.
"""

import tensorflow as tf

scores = tf.range(100.0)


@tf.function
def kept(scores, share):
    return tf.reduce_sum(scores[: int(share * 100)])


def at(share):
    @tf.function
    def best(scores):
        return tf.reduce_sum(scores[int(share * 100) :])

    return best


@tf.function
def first(scores, rows):
    return tf.reduce_sum(scores[:rows])


for share in (0.29, 0.57, 0.58):
    print(float(kept(scores, share)), float(at(share)(scores)))
for rows in (28, 56, 57):
    print(float(first(scores, rows)))
