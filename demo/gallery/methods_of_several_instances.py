"""A decorated method of two instances: each instance has a `tf.function` of its own, so each is traced.

Both graphs use the weights of their own instance. Nothing to change while there are few instances; do not make a
new instance for each step.
"""

from __future__ import annotations

import tensorflow as tf


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = tf.Variable(factor)

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.factor


for scale in (Scale(2.0), Scale(3.0)):
    for _ in range(2):
        print(scale(tf.constant([1.0, 2.0])).numpy())

# mypy: disallow-untyped-decorators=False
