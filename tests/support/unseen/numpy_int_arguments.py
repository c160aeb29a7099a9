"""np.int64 counters and Python ints, mixed."""

import numpy as np
import tensorflow as tf


@tf.function
def tile(x, times):
    return tf.reduce_sum(x) * tf.cast(times, tf.float32)


x = tf.ones([2])
for times in (1, np.int64(1), np.int64(2), 2, np.int32(2), True):
    tile(x, times)
