"""E3. A reshape by `tf.shape`, the shape at run time, works for all shapes with one trace. Nothing to change.

`matrix.shape` would be `(None, None)` here: it is what was known when the graph was traced.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, None])])
def flat(matrix: tf.Tensor) -> tf.Tensor:
    shape = tf.shape(matrix)
    return tf.reshape(matrix, [shape[0] * shape[1]])


for shape in ([2, 3], [4, 5]):
    print(flat(tf.ones(shape)).shape)

# mypy: disallow-untyped-decorators=False
