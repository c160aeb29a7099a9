"""C1. An image resize that is traced for another image size, and again for a tensor in place of a Python number.

Sizes are part of the signature, a Python number is a constant of the graph, a tensor is neither.
Give unknown dimensions to the image and always pass the height as a tensor (see
`input_signature_with_unknown_dimensions.py`).
"""

from __future__ import annotations

import tensorflow as tf


@tf.function  # to change: add an input_signature
def resize(x: tf.Tensor, new_height: int | tf.Tensor) -> tf.Tensor:
    return tf.image.resize(x, [new_height, new_height])


print(resize(tf.ones([1, 100, 100, 3]), 50).shape)
print(resize(tf.ones([1, 100, 100, 3]), 50).shape)  # the same again: nothing is traced
print(resize(tf.ones([1, 120, 120, 3]), 50).shape)
print(resize(tf.ones([1, 100, 100, 3]), tf.constant(60)).shape)

# mypy: disallow-untyped-decorators=False
