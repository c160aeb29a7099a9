"""Texts come as Python lists of several lengths from one place, and as tensors from another."""

import tensorflow as tf


@tf.function
def lengths(texts):
    return tf.strings.length(texts)


for texts in (["abc", "d"], ["x", "yz", "w"], tf.constant(["q", "rs"])):
    print(lengths(texts).numpy())
