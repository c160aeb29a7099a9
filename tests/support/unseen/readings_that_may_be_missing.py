"""Readings of sensors that may be missing, as optionals of as many values as there were."""

import tensorflow as tf

OPTIONAL = tf.experimental.Optional


@tf.function
def scaled(reading, factor):
    if reading.has_value():
        return tf.reduce_sum(reading.get_value() * factor)
    return tf.constant(-1.0)


sizes = (2, 3, 0, 4)
for size in sizes:
    none = OPTIONAL.empty(tf.TensorSpec([1], tf.float32))
    reading = OPTIONAL.from_value(tf.ones([size])) if size else none
    print(float(scaled(reading, tf.constant(2.0))))
