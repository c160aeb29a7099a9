"""A loop counter passed as a Python number: traced again for each number, as each is a constant of its graph.

Pass a tensor.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def learning_rate(step: int) -> tf.Tensor:
    return 0.1 / (1.0 + tf.cast(step, tf.float32))


for step in range(4):
    print(learning_rate(step).numpy())  # to change: learning_rate(tf.constant(step))

# mypy: disallow-untyped-decorators=False
