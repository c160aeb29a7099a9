"""Text comes as Python strings, one at a time."""

import tensorflow as tf


@tf.function
def tokenize(text):
    return tf.strings.split(text)


for text in ("a b", "c d e", "f", "a b"):
    tokenize(text)
