"""A2. The function of `layer_created_on_every_call.py`, called again with another batch size after it failed.

The second call traces again, for its new shape, and fails for the same reason: variables in a call that is not the
first. Create the layer once, outside the function.
"""

from __future__ import annotations

import keras
import tensorflow as tf


@tf.function
def blur(images: tf.Tensor) -> tf.Tensor:
    layer = keras.layers.Conv2D(2, 3)  # to change: move this line above the function
    return layer(images)


for batch_size in (1, 2):
    try:
        blur(tf.ones([batch_size, 8, 8, 1]))
    except ValueError as error:
        print("ValueError:", str(error).strip().splitlines()[-1])

# mypy: disallow-untyped-decorators=False
