"""`predict` in a loop: the model's own function is traced once, but each call builds an input pipeline anew.

Keras makes three `tf.data` functions at each call, and each is traced: about 10 ms. Use `predict_on_batch` or
`model(x)` for small inputs, or one `predict` over all of them.
"""

from __future__ import annotations

import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
model.compile("sgd", "mse")

for _ in range(3):
    print(model.predict(np.ones((2, 4), np.float32), verbose=0).shape)  # to change: model.predict_on_batch
