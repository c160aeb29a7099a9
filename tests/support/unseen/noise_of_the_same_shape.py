"""Something of the shape of a batch, which a last batch changes, in a named tuple that the step takes apart."""

from collections import namedtuple

import numpy as np
import tensorflow as tf

Batch = namedtuple("Batch", ["pictures", "weight"])
PICTURES = np.linspace(0.0, 1.0, 40, dtype="float32").reshape(10, 4)


@tf.function
def perturbed(data):
    pictures, weight = data.pictures, data.weight
    noise = tf.random.stateless_normal(pictures.shape, seed=[1, 2])
    return tf.reduce_mean(pictures + noise) * weight


@tf.function
def padded(data):
    pictures = data.pictures
    return tf.pad(pictures, [[0, 8 - pictures.shape[0]], [0, 0]])


for batch in tf.data.Dataset.from_tensor_slices(PICTURES).batch(4):
    data = Batch(batch, tf.constant(2.0))
    print(float(perturbed(data)), padded(data).shape)
