"""Enum members, a dtype and a class as arguments."""

import enum

import tensorflow as tf


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@tf.function
def scale(x, level):
    return x * float(level)


@tf.function
def reduce(x, mode, dtype=tf.float32):
    x = tf.cast(x, dtype)
    return tf.reduce_sum(x) if mode is Mode.SUM else tf.reduce_mean(x)


x = tf.ones([3])
scale(x, Level.LOW)
scale(x, Level.HIGH)
reduce(x, Mode.SUM)
reduce(x, Mode.MEAN)
reduce(x, Mode.SUM)
reduce(x, Mode.SUM, tf.float64)
reduce(x, Mode.SUM, dtype=tf.float32)
