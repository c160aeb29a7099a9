"""A search builds, fits and asks a new Keras model for each learning rate, and at last a wider one."""

import keras
import numpy as np

x, y = np.ones((8, 4), "float32"), np.ones((8, 1), "float32")
for rate in (0.1, 0.01, 0.03):
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(2), keras.layers.Dense(1)])
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(rate))
    model.fit(x, y, epochs=2, verbose=0)
    model.predict(x, verbose=0)
wider = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
wider.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1))
wider.fit(x, y, epochs=2, verbose=0)
wider.predict(x, verbose=0)
