"""`train_on_batch` on sequences of several lengths, then compiled again for `fit`; predictions one by one."""

import keras
import numpy as np

model = keras.Sequential([keras.Input((None, 4)), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])
model.compile("sgd", "mse")
for n in (3, 5, 7, 5):
    model.train_on_batch(np.zeros((2, n, 4), "float32"), np.zeros((2, 1), "float32"))
model.compile("adam", "mse")
model.fit(np.zeros((10, 3, 4), "float32"), np.zeros((10, 1), "float32"), batch_size=4, verbose=0)
for n in (1, 2, 3):
    model.predict(np.zeros((n, 3, 4), "float32"), verbose=0)
for n in (1, 2, 3):
    model.predict_on_batch(np.zeros((n, 3, 4), "float32"))
