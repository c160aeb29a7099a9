"""Class weights of each epoch, in an array of the module that a dataset's function reads."""

import numpy as np
import tensorflow as tf

for epoch in range(3):
    weights = np.arange(10) * epoch
    for _ in tf.data.Dataset.range(3).map(lambda i: i * weights[1]):
        pass
