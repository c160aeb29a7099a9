"""A `tf.function` that is defined inside a loop: the same code, but a new function each time, which knows no trace.

Define it once, before the loop.
"""

from __future__ import annotations

import tensorflow as tf

for number in range(3):

    @tf.function  # to change: move the function above the loop
    def square(x: tf.Tensor) -> tf.Tensor:
        return x * x

    print(square(tf.constant(float(number))).numpy())

# mypy: disallow-untyped-decorators=False
