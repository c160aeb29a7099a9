"""Members of an Enum, of a Flag and of an IntEnum are passed beside sizes that change."""

import enum

import tensorflow as tf


class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2


class Parts(enum.Flag):
    BIAS = 1
    SCALE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@tf.function
def step(x, mode, parts, level):
    y = x if mode is Mode.EVAL else x * 2.0
    if Parts.BIAS in parts:
        y = y + 1.0
    if Parts.SCALE in parts:
        y = y * 0.5
    return tf.reduce_sum(y) * float(level)


for n in (2, 3):
    for mode in Mode:
        for parts in (Parts.BIAS, Parts.BIAS | Parts.SCALE):
            step(tf.ones([n]), mode, parts, Level.LOW)
step(tf.ones([3]), Mode.TRAIN, Parts.BIAS, Level.HIGH)
step(tf.ones([3]), Mode.TRAIN, Parts.BIAS, 1)  # as Level.LOW is
