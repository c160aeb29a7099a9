"""C4. A Python global that changes after the trace: no retrace, and the graph goes on using the old value.

The number became a constant of the graph when it was traced; a `tf.Variable` is read at every call instead.
"""

from __future__ import annotations

import tensorflow as tf

offset = 10  # to change: tf.Variable(10), and offset.assign(100) below
calls = tf.Variable(0)


@tf.function
def shifted() -> tf.Tensor:
    calls.assign_add(1)
    return calls + offset


print(shifted().numpy())
offset = 100
print(shifted().numpy())  # 12, not 102
print(shifted().numpy())

# mypy: disallow-untyped-decorators=False
