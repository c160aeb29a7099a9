"""B3 mended by half: `__hash__` alone, and the two objects are still traced apart.

TensorFlow compares them with `==`, which without `__eq__` means identity. Add `__eq__`.
"""

from __future__ import annotations

import tensorflow as tf


class Settings:  # to change: add __eq__
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __hash__(self) -> int:
        return hash(self.scale)


@tf.function
def scaled(x: tf.Tensor, settings: Settings) -> tf.Tensor:
    return x * settings.scale


first, second = Settings(2.0), Settings(2.0)
print(scaled(tf.constant([1.0, 2.0]), first).numpy())
print(scaled(tf.constant([1.0, 2.0]), second).numpy())

# mypy: disallow-untyped-decorators=False
