"""C2. The resize of `python_number_or_tensor.py` with an input signature: one trace for all sizes and heights.

What does not fit the signature, here a float for the height, is refused with a TypeError and traces nothing.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([1, None, None, 3]), tf.TensorSpec([], tf.int32)])
def resize(x: tf.Tensor, new_height: tf.Tensor) -> tf.Tensor:
    return tf.image.resize(x, [new_height, new_height])


print(resize(tf.ones([1, 100, 100, 3]), 50).shape)
print(resize(tf.ones([1, 120, 120, 3]), 50).shape)
print(resize(tf.ones([1, 100, 100, 3]), tf.constant(60)).shape)
try:
    resize(tf.ones([1, 100, 100, 3]), 50.5)
except TypeError as error:
    print("TypeError:", str(error).splitlines()[0])

# mypy: disallow-untyped-decorators=False
