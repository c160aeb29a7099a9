"""Options that change while others are left out: none of them changes by itself."""

import tensorflow as tf


@tf.function
def adjusted(x, **options):
    return x * options.get("scale", 1.0) + options.get("bias", 0.0)


x = tf.ones([3])
print(adjusted(x, scale=2.0).numpy())
print(adjusted(x, bias=1.0).numpy())
print(adjusted(x, scale=3.0, bias=1.0).numpy())
print(adjusted(x).numpy())
