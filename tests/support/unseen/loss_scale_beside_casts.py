"""Mixed precision by hand: batches come in two dtypes, and the scale of the loss, an attribute, has changed."""

import tensorflow as tf


class LossScale:
    def __init__(self):
        self.value = 8.0


scale = LossScale()
weight = tf.Variable([1.0, 2.0])


@tf.function
def step(x, scale):
    loss = tf.reduce_sum(tf.cast(x, tf.float32) * weight)
    return loss * scale.value


for dtype in (tf.float32, tf.float16):
    step(tf.ones([2], dtype), scale)
    scale.value *= 2
