"""B3. Two objects with the same content, two traces: TensorFlow tells plain objects apart by identity.

Give the class `__eq__` and `__hash__`, both, so that equal objects are equal to TensorFlow too; or pass the number.
"""

from __future__ import annotations

import tensorflow as tf


class Settings:  # to change: @dataclasses.dataclass(frozen=True) writes both methods
    def __init__(self, scale: float) -> None:
        self.scale = scale


@tf.function
def scaled(x: tf.Tensor, settings: Settings) -> tf.Tensor:
    return x * settings.scale


first, second = Settings(2.0), Settings(2.0)
print(scaled(tf.constant([1.0, 2.0]), first).numpy())
print(scaled(tf.constant([1.0, 2.0]), second).numpy())

# mypy: disallow-untyped-decorators=False
