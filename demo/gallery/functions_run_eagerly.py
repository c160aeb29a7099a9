"""A3. With `tf.config.run_functions_eagerly(True)` a `tf.function` is plain Python: nothing is traced at all.

Good for debugging and slow otherwise. Even a layer built at every call works, with new weights each time.
Remove the line to trace again.
"""

from __future__ import annotations

import keras
import tensorflow as tf

tf.config.run_functions_eagerly(True)  # to change: remove this line


@tf.function
def blur(image: tf.Tensor) -> tf.Tensor:
    layer = keras.layers.Conv2D(2, 3)
    return layer(image)


for _ in range(2):
    print(blur(tf.ones([1, 8, 8, 1])).shape)

# mypy: disallow-untyped-decorators=False
