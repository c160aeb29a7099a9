"""Ids that come in 32 and 64 bits, bytes beside whole numbers, and a lookup that is exported for each width."""

import numpy as np
import tensorflow as tf


@tf.function
def shard(ids):
    return tf.math.floormod(ids, 1000)


@tf.function
def brighten(picture):
    return picture + 100


@tf.function
def lookup(ids):
    return tf.gather(tf.range(10.0), ids)


for ids in (tf.constant([1, 2]), np.array([2**40 + 5, 2])):
    print(shard(ids).numpy())
for picture in (tf.constant([200], tf.uint8), tf.constant([300])):
    print(brighten(picture).numpy())
by_width = [lookup.get_concrete_function(tf.TensorSpec([None], dtype)) for dtype in (tf.int32, tf.int64)]
print([function(tf.constant([1], function.inputs[0].dtype)).numpy() for function in by_width])
