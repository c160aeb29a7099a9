"""Sizes and temperatures while it is tried out, and then a concrete function of named specifications to export."""

import tensorflow as tf

table = tf.random.stateless_normal([7, 3], [0, 1])


@tf.function
def infer(ids, temperature):
    return tf.reduce_sum(tf.gather(table, ids)) / temperature


for size, temperature in ((2, 1.0), (3, 1.0), (2, 0.5), (3, 0.5)):
    infer(tf.range(size), temperature)
exported = infer.get_concrete_function(
    tf.TensorSpec([None], tf.int32, name="ids"), tf.TensorSpec([], tf.float32, name="temperature")
)
exported(tf.range(4), tf.constant(0.5))
