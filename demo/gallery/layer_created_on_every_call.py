"""A1. A `tf.function` that builds a Keras layer in its body, so variables are created by every call.

TensorFlow traces a variable-creating first call twice; the second trace creates variables again, which is an error.
Create the layer once, outside the function.
"""

from __future__ import annotations

import keras
import tensorflow as tf


@tf.function
def blur(image: tf.Tensor) -> tf.Tensor:
    layer = keras.layers.Conv2D(2, 3)  # to change: move this line above the function
    return layer(image)


try:
    blur(tf.ones([1, 8, 8, 1]))
except ValueError as error:
    print("ValueError:", str(error).strip().splitlines()[-1])

# mypy: disallow-untyped-decorators=False
