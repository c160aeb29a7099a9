"""A fine-tuning script freezes layers and compiles again before each stage."""

import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
data = tf.data.Dataset.from_tensor_slices((np.ones((8, 3)), np.ones((8, 1)))).batch(4)
for stage in range(3):
    model.layers[0].trainable = stage > 0
    model.compile(loss="mse", optimizer=keras.optimizers.SGD(0.1))
    model.fit(data, epochs=1, verbose=0)
