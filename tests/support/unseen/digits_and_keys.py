"""A number near one, of which a float32 has too few digits; and a key with which a graph computes something else."""

import tensorflow as tf

x = tf.constant([1.0, 2.0])


@tf.function
def corrected(x, beta):
    return x / (1.0 - beta)


@tf.function
def bucket(x, ident):
    return x * (ident % 10)


@tf.function
def distance(batch):
    y = batch["x"]
    if "reference" in batch:
        y = tf.square(y - batch["reference"])
    return tf.reduce_sum(y)


for beta in (0.9, 0.999999, 0.99999999):
    print(corrected(x, beta).numpy().tolist())
for ident in (123456789, 123456790, 123456797):
    print(bucket(x, ident).numpy().tolist())
for batch in ({"x": x}, {"x": x, "reference": x}, {"x": 2 * x}):
    print(float(distance(batch)))
