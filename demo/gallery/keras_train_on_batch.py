"""`train_on_batch` with changing batch sizes: traced again at the second size, and never after.

Keras asks for `reduce_retracing`, so that second trace serves all sizes. Nothing to change.
"""

from __future__ import annotations

import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
model.compile("sgd", "mse")

for size in (4, 6, 3, 5):
    model.train_on_batch(np.ones((size, 4), np.float32), np.ones((size, 2), np.float32))
    print("trained on", size)
