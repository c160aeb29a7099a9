"""Images that NumPy turns, whenever the graph is executed, by an angle that the function closes over there."""

import numpy as np
import tensorflow as tf


@tf.function
def turned(image, degrees):
    def turn(pixels):
        return np.rot90(pixels, degrees // 90).astype("float32")

    return tf.ensure_shape(tf.numpy_function(turn, [image], tf.float32), image.shape)


@tf.function
def blended(image, alpha=None):
    return image if alpha is None else image * alpha


picture = tf.reshape(tf.range(4.0), [2, 2])
for degrees in (0, 90, 180):
    print(turned(picture, degrees).numpy().tolist())
for alpha in (0.5, None, tf.constant(0.5)):
    print(blended(picture, alpha).numpy().tolist())
