"""Objects whose class compares them, by what no graph depends on; and iterators that itertools makes."""

import dataclasses
import itertools

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Settings:
    name: str
    epochs: int


@tf.function
def smoothed(x, settings):
    return x * 0.5


kept = [Settings("first", 1), Settings("second", 2)]
for settings in kept:
    smoothed(tf.ones([2]), settings)
smoothed(tf.ones([2]), Settings("first", 1))


@tf.function
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


values = [tf.constant(1.0), tf.constant(2.0)]
for _ in range(2):
    total(itertools.chain(values, values))
