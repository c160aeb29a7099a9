"""A Keras `fit` whose last batch is smaller: the train step is traced once all the same.

Keras' own input pipeline has an unknown batch size. Nothing to change.
"""

from __future__ import annotations

import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
model.compile("sgd", "mse")

x, y = np.ones((10, 4), np.float32), np.ones((10, 2), np.float32)
model.fit(x, y, batch_size=4, epochs=2, verbose=0)
print(model.count_params(), "weights trained")
