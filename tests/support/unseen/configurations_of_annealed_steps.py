"""A frozen configuration made in each step, and a temperature that is annealed."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    warmup: int = 10


weights = tf.Variable(tf.ones([8, 1]))


@tf.function
def annealed(batch, config, temperature):
    loss = tf.reduce_mean(tf.square(batch @ weights)) * config.rate + temperature
    weights.assign_sub(0.01 * loss * tf.ones_like(weights))
    return loss


for step in range(6):
    annealed(tf.ones([4, 8]), Config(0.1 * (1 + step // 3)), 1.0 / (1 + step // 2))
