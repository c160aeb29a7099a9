"""A function with an input signature, made anew for each video that it closes over.

https://github.com/lshug/first-order-model-tf/issues/22: define it once. Without its signature each pair of Python
numbers would be traced.
"""

import numpy as np
import tensorflow as tf


def animate(video, batch_size):
    video = tf.convert_to_tensor(video, tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)])
    def slice_driving(start, end):
        return video[start:end]

    return [slice_driving(start, min(start + batch_size, len(video))) for start in range(0, len(video), batch_size)]


rng = np.random.default_rng(0)
for _ in range(3):
    animate(rng.random((10, 2, 2, 3)), 4)
