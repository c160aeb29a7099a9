"""Objects that hold numbers, others in each epoch: a configuration, a kernel, a share; and one whose axis differs."""

import dataclasses
import decimal

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Config:
    rate: float
    layers: int = 2


class Kernel:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return tf.exp(-x / self.scale)


class Pool:
    def __init__(self, axis):
        self.axis = axis


@tf.function
def descend(w, g, config):
    for _ in range(config.layers):
        w = w - config.rate * g
    return w


@tf.function
def priced(x, share):
    return x * float(share)


@tf.function
def pooled(x, pool):
    return tf.reduce_sum(x, pool.axis)


def energy(kernel, x):
    @tf.function
    def value(x):
        return tf.reduce_sum(kernel(x))

    return value(x)


config, kernels, pools = Config(0.1), [Kernel(1.0 + n) for n in range(3)], [Pool(0), Pool(1)]
for n in range(3):
    config = dataclasses.replace(config, rate=config.rate / 2)
    descend(tf.constant(1.0), tf.constant(0.5), config)
    priced(tf.constant(2.0), decimal.Decimal(n) / 10)
    energy(kernels[n], tf.ones([2]))
for pool in pools:
    pooled(tf.ones([2, 2]), pool)
