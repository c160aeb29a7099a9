"""An optional mask in a dictionary: sometimes there, sometimes None, sometimes left out."""

import tensorflow as tf


@tf.function
def score(features):
    values = features["values"]
    mask = features.get("mask")
    return tf.reduce_sum(values if mask is None else values * mask)


values = tf.ones([3])
score({"values": values, "mask": tf.ones([3])})
score({"values": values, "mask": None})
score({"values": values})
score({"mask": tf.ones([3]), "values": values})
