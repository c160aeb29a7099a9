"""Two kinds of augmenters by turns, made anew of a configuration: the latest trace is always of the other kind."""

from dataclasses import dataclass

import tensorflow as tf


@dataclass(frozen=True)
class Settings:
    strength: float
    kind: str


KINDS = {
    "noise": lambda x, settings: x + settings.strength * tf.ones_like(x),
    "scale": lambda x, settings: x * (1.0 + settings.strength),
}


@tf.function
def augment(x, settings):
    return KINDS[settings.kind](x, settings)


x = tf.ones([2, 3])
for epoch in range(3):
    for kind in KINDS:
        augment(x, Settings(0.1 * epoch, kind))
