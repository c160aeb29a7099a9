"""Steps by a mode of an Enum, a dtype and a shape, on batches of several sizes."""

import enum

import tensorflow as tf


class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2
    TEST = 3


@tf.function
def prepared(x, mode, dtype=tf.float32, shape=None):
    x = tf.cast(x, dtype)
    if mode is Mode.TRAIN:
        x = x * 2
    if shape is not None:
        x = tf.reshape(x, shape)
    return tf.reduce_sum(x)


for mode in Mode:
    for n in (2, 4):
        print(float(prepared(tf.ones([n]), mode)))
print(float(prepared(tf.ones([4]), Mode.TEST, tf.float16)))
print(float(prepared(tf.ones([4]), Mode.TEST, shape=[2, 2])))
print(float(prepared(tf.ones([4]), Mode.TEST, shape=[4, 1])))
print(float(prepared(tf.ones([6]), Mode.TEST, shape=(-1, 2))))
