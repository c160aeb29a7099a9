"""What a helper does with what it is handed: it repeats a list, asks for a type, computes in whole numbers."""

import numpy as np
import tensorflow as tf

ROWS = np.arange(12, dtype="float32").reshape(4, 3)


@tf.function
def tiled(x, times):
    return tf.stack([x] * times)


@tf.function
def augment(x, copies):
    return tiled(x * 2.0, copies)


@tf.function
def scaled(x, options):
    gain = options["gain"]
    return x * (gain if isinstance(gain, int) else 2.0 * gain)


@tf.function
def center(x):
    return tf.reduce_mean(x)


@tf.function
def summary(x):
    return center(x * 1)


for copies in (2, 3, 2):
    print(augment(ROWS, copies).shape)
for gain in (1, 2, 3):
    print(float(tf.reduce_sum(scaled(ROWS, {"gain": gain}))))
for dtype in ("float32", "uint8"):
    print(float(summary(ROWS.astype(dtype))))
