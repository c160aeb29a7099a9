"""Statistics of batches that come as whole numbers from one source and as fractions from another.

Expected: each function is traced for each dtype, avoidable by a cast. `average` of whole numbers is whole, and pixels
wrap in `brighten`: with a cast they are others. `normalized` casts first, and is the same with a cast.
"""

import tensorflow as tf


@tf.function
def average(x):
    return tf.reduce_mean(x)


@tf.function
def brighten(pixels):
    return tf.reduce_max(pixels + 100)


@tf.function
def normalized(pixels):
    return tf.reduce_max(tf.cast(pixels, tf.float32) / 255.0)


for x in (tf.constant([5, 6]), tf.constant([5.0, 6.0])):
    print(float(average(x)))
for pixels in (tf.constant([200, 3], tf.uint8), tf.constant([200.0, 3.0])):
    print(float(brighten(pixels)), float(normalized(pixels)))
