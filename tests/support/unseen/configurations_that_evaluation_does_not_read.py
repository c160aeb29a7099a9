"""A frozen configuration, replaced by one of another rate in each epoch: training reads it alone."""

import dataclasses
import enum

import tensorflow as tf


class Mode(enum.Enum):
    TRAIN = 1
    EVALUATE = 2


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float = 0.1
    layers: int = 2


weights = tf.Variable(tf.ones([3, 3]) * 0.2)


@tf.function
def run_batch(x, mode, config):
    with tf.GradientTape() as tape:
        y = x
        for _ in range(config.layers):
            y = y @ weights
        loss = tf.reduce_mean(y**2)
    if mode is Mode.TRAIN:
        weights.assign_sub(config.rate * tape.gradient(loss, weights))
    return loss


config = Config()
for _ in range(3):
    for mode in (Mode.TRAIN, Mode.EVALUATE):
        run_batch(tf.ones([4, 3]), mode, config)
    config = dataclasses.replace(config, rate=config.rate * 0.5)
