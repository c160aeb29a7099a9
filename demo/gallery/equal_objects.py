"""B3 mended: objects with `__eq__` and `__hash__` are one and the same to TensorFlow, and there is one trace.

One of the two methods alone is not enough.
"""

from __future__ import annotations

import tensorflow as tf


class Settings:
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self.scale == other.scale

    def __hash__(self) -> int:
        return hash(self.scale)


@tf.function
def scaled(x: tf.Tensor, settings: Settings) -> tf.Tensor:
    return x * settings.scale


first, second = Settings(2.0), Settings(2.0)
print(scaled(tf.constant([1.0, 2.0]), first).numpy())
print(scaled(tf.constant([1.0, 2.0]), second).numpy())

# mypy: disallow-untyped-decorators=False
