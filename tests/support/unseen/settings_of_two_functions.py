"""Equal settings are made for each call of one function, while those that another was passed, equal as well, live."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Settings:
    rate: float = 0.5


@tf.function
def evaluate(settings, x):
    return x * settings.rate


@tf.function
def train(settings, x):
    return x + settings.rate


evaluate(Settings(), tf.ones([2]))
kept = Settings()
evaluate(kept, tf.ones([2]))
for _ in range(4):
    train(Settings(), tf.ones([2]))
