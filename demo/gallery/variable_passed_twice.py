"""A variable passed for both arguments, then two different ones: a graph for "the same", and one for "two".

Which variable it is does not matter, but what is written to one must be seen through the other.
Two ways, two traces. Nothing to change, unless the first call is a slip.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def move(source: tf.Variable, target: tf.Variable) -> tf.Tensor:
    target.assign_add(source)
    return source + target


one, two, three = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
print(move(one, one).numpy())
print(move(two, two).numpy())  # the same pattern: no trace
print(move(one, two).numpy())
print(move(two, three).numpy())  # the same pattern: no trace

# mypy: disallow-untyped-decorators=False
