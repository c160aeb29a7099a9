"""A score of keywords that some calls leave out, as the code has a value for them."""

import tensorflow as tf


@tf.function
def score(x, **options):
    weight = options["weight"] if "weight" in options else 2.0
    return tf.reduce_sum(x) * weight + options.get("bias", 0.0)


x = tf.ones([3])
for i in range(3):
    print(score(x).numpy())
    print(score(x, bias=i * 0.5).numpy())
print(score(x, weight=tf.constant(3.0)).numpy())
print(score(x, weight=tf.constant(3.0), bias=1.0).numpy())
