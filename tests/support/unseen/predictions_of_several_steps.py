"""Keras predicts several batches at a time, and fewer at the end."""

import keras
import tensorflow as tf

model = keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])
model.compile("sgd", "mse", steps_per_execution=3, jit_compile=False)
model.predict(tf.data.Dataset.from_tensor_slices(tf.ones([26, 3])).batch(4), verbose=0)
