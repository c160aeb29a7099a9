"""Pictures of many sizes are enlarged by a factor: Python multiplies their sizes, so no graph holds these."""

import tensorflow as tf


@tf.function
def enlarge(picture, factor):
    height, width = picture.shape[1], picture.shape[2]
    return tf.image.resize(picture, (height * factor, width * factor), method="bicubic")


total = 0.0
for size in (8, 10, 12):
    picture = tf.random.stateless_uniform([1, size, size, 1], [size, 1])
    for factor in (2, 3):
        total += float(tf.reduce_mean(enlarge(picture, factor)))
assert abs(total - 2.9345) < 1e-3, total
