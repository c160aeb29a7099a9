"""A `tf.function` made anew for each number that it uses from around it.

Each has a graph of its own, with the number as a constant. Define it once and pass the number as a tensor.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def make_power(exponent: float) -> Any:
    @tf.function
    def power(x: tf.Tensor) -> tf.Tensor:
        return x**exponent  # to change: make `exponent` an argument

    return power


for exponent in (1.0, 2.0, 3.0):
    print(make_power(exponent)(tf.constant(3.0)).numpy())

# mypy: disallow-untyped-decorators=False
