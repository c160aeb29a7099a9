"""A Python iterator is used up by the trace: each call needs another one, and is traced again."""

import numpy as np
import tensorflow as tf


def batches(count):
    for _ in range(count):
        yield np.ones((2, 2), np.float32)


@tf.function
def epoch(data):
    total = 0.0
    for batch in data:
        total += tf.reduce_sum(batch)
    return total


@tf.function
def weigh(pairs):
    return tf.add_n([tf.cast(i, tf.float32) * x for i, x in pairs])


xs = [tf.constant(1.0), tf.constant(2.0)]
for _ in range(3):
    print(epoch(batches(2)).numpy(), weigh(enumerate(xs)).numpy())
