"""C3. `get_concrete_function` traces without calling: one graph, whose operations can be looked at.

Nothing to change: asking again for the same specification gives the same graph.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def dense(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.nn.relu(tf.matmul(a, b) + 1.0)


square = tf.TensorSpec([2, 2], tf.float32)
graph = dense.get_concrete_function(square, square).graph
print([operation.name for operation in graph.get_operations()])
dense.get_concrete_function(square, square)

# mypy: disallow-untyped-decorators=False
