"""fit on datasets with validation: one function that trains and one that tests, of the same lines of Keras."""

import keras
import numpy as np
import tensorflow as tf

x, y = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)
model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile(loss="mse", optimizer="sgd")
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
model.fit(train, validation_data=train.take(2), epochs=2, verbose=0)
