"""Two objects made in each step, which hold other numbers, and a short last batch."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    warmup: int = 10


class Penalty:
    def __init__(self, weight):
        self.weight = weight


weights = tf.Variable(tf.ones([8, 1]))


@tf.function
def penalized(batch, config, penalty):
    return tf.reduce_mean(tf.square(batch @ weights)) * config.rate + penalty.weight * tf.nn.l2_loss(weights)


for step in range(6):
    batch = tf.ones([32 if step % 3 != 2 else 7, 8])
    penalized(batch, Config(0.1 * (1 + step)), Penalty(0.5 / (1 + step)))
