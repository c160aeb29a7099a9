"""Learning rates come from a NumPy schedule: np.float32 scalars, then Python floats."""

import numpy as np
import tensorflow as tf


@tf.function
def apply(x, rate):
    return x * rate


for rate in np.linspace(0.1, 0.5, 5, dtype=np.float32):
    apply(tf.ones([2]), rate)
apply(tf.ones([2]), 0.1)
apply(tf.ones([2]), 0.2)
