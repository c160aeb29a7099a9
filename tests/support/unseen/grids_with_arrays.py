"""Objects that hold arrays, made anew with the same content."""

import numpy as np
import tensorflow as tf


class Grid:
    def __init__(self, size):
        self.points, self.size = np.arange(size, dtype=np.float32), size


@tf.function
def integrate(x, grid):
    return tf.reduce_sum(x * grid.points) / grid.size


kept = [Grid(3) for _ in range(3)]
for grid in kept:
    integrate(tf.ones([3]), grid)
