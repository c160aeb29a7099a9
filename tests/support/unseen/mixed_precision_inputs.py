"""Half of the calls come in float64 from NumPy, the others in float32."""

import numpy as np
import tensorflow as tf


@tf.function
def normalize(x, eps=1e-6):
    return x / (tf.norm(x) + tf.cast(eps, x.dtype))


for i in range(6):
    data = np.ones((4, 2))
    normalize(tf.constant(data) if i % 2 else tf.constant(data, tf.float32))
