"""The functions given to `tf.data` are traced too: once for each `map`, so each time the pipeline is built.

Build the dataset once and iterate over it twice.
"""

from __future__ import annotations

import tensorflow as tf


def double(x: tf.Tensor) -> tf.Tensor:
    return x * 2


for _ in range(2):
    dataset = tf.data.Dataset.range(3).map(double)  # to change: move this line above the loop
    print(list(dataset.as_numpy_iterator()))
