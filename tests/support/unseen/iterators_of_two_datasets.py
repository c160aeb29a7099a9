"""Training and validation iterators whose batches have other sizes, one with a remainder dropped."""

import tensorflow as tf


@tf.function
def run(iterator):
    total = 0.0
    for _ in tf.range(2):
        x, y = next(iterator)
        total += tf.reduce_sum(x) + tf.reduce_sum(y)
    return total


train = tf.data.Dataset.from_tensor_slices((tf.ones([8, 3]), tf.ones([8]))).batch(4, drop_remainder=True)
valid = tf.data.Dataset.from_tensor_slices((tf.ones([6, 3]), tf.ones([6]))).batch(3)
test = tf.data.Dataset.from_tensor_slices((tf.ones([4, 3]), tf.ones([4]))).batch(2)
for _ in range(2):
    for data in (train, valid):
        run(iter(data))
run(iter(test))
