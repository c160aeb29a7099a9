"""Options of an agent that are a word in some calls, and a number in others; an axis; a list of columns."""

import tensorflow as tf


@tf.function
def actor_loss(q, coefficient="auto"):
    weight = tf.reduce_mean(q) if isinstance(coefficient, str) else coefficient
    return tf.reduce_mean(weight - q)


@tf.function
def drop(x, rate=False):
    return tf.maximum(x, rate) if rate else x


@tf.function
def reduced(x, axis):
    return tf.reduce_sum(x, axis)


@tf.function
def select(features, columns):
    return tf.stack([features[column] for column in columns], -1)


@tf.function
def frozen(x, flags):
    return tf.add_n([tf.stop_gradient(x) if flag else x for flag in flags])


q = tf.constant([1.0, 2.0])
for coefficient in ("auto", 0.2, tf.constant(0.3)):
    actor_loss(q, coefficient)
for rate in (False, 0.5, 0.25):
    drop(q, rate)
for axis in (0, (0, 1), [0, 1]):
    reduced(tf.ones([2, 3]), axis)
for columns in (["a"], ["a", "b"], ("a", "b")):
    select({"a": q, "b": q}, columns)
for flags in ((True, False), (True, True)):
    frozen(q, flags)
