"""A1b. A `tf.function` that creates its variable in the first call only.

It is traced twice in its first call: once creating the variable, once without. That is no mistake, but it takes time;
creating the variable before the first call saves one of the two.
"""

from __future__ import annotations

import tensorflow as tf

state: list[tf.Variable] = []


@tf.function
def count(amount: tf.Tensor) -> tf.Tensor:
    if not state:
        state.append(tf.Variable(0.0))  # to change: create it before the first call
    return state[0].assign_add(amount)


for _ in range(3):
    print(count(tf.constant(1.0)).numpy())

# mypy: disallow-untyped-decorators=False
