"""A frozen configuration has equality and a hash of its values; one value differs at the end."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    layers: int


@tf.function
def step(x, config):
    for _ in range(config.layers):
        x = x * config.rate
    return x


kept = [Config(0.5, 2), Config(0.5, 2), Config(0.5, 2), Config(0.25, 2)]
for config in kept:
    step(tf.ones([2]), config)
