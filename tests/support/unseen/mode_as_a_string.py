"""A mode comes as a string and picks a branch in Python."""

import tensorflow as tf


@tf.function
def run(x, mode, reduction=None):
    y = x * 2.0 if mode == "train" else x
    return tf.reduce_sum(y) if reduction == "sum" else y


x = tf.ones([3])
for mode in ("train", "eval", "train", "eval"):
    run(x, mode)
run(x, mode="eval", reduction="sum")
