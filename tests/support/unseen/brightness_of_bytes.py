"""Pictures of bytes, scaled by whole numbers, and repeated so often as one says, which is 0 at first.

Expected: traced for each number, avoidable; `scaled` with a tensor of uint8, as TensorFlow takes no other there;
`repeated` decides what is built by `if times:`, which takes no tensor.
"""

import tensorflow as tf


@tf.function
def scaled(picture, factor):
    return tf.reduce_sum(tf.cast(picture * factor, tf.int32))


@tf.function
def repeated(picture, times):
    if times:
        picture = tf.repeat(picture, times)
    return tf.size(picture)


picture = tf.constant([1, 2, 3], tf.uint8)
for n in (2, 3, 4):
    print(int(scaled(picture, n)))
for n in (0, 2, 3):
    print(int(repeated(picture, n)))
