"""A Python value that is captured by reference: it is read anew at each call, and no other value of it is a retrace.

An experimental way of TensorFlow's, for libraries; in your own code a `tf.Variable` does the same. Nothing to change.
"""

from __future__ import annotations

import tensorflow as tf

weight = 3.0


@tf.function
def scaled(x: tf.Tensor) -> tf.Tensor:
    graph = tf.compat.v1.get_default_graph()
    return x * graph._experimental_capture_side_input_by_ref("weight", lambda: weight)


print(scaled(tf.constant(2.0)).numpy())
weight = 5.0
print(scaled(tf.constant(2.0)).numpy())  # 10, and no trace

# mypy: disallow-untyped-decorators=False
