"""`fit` and `train_on_batch` by turns, as agents with a memory do: (x, y) here, (x, y, None) there; and other sizes."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
model.compile("sgd", "mse")
rng = np.random.default_rng(0)
x, y = rng.normal(size=(16, 4)).astype("float32"), rng.normal(size=(16, 2)).astype("float32")
memory = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
for episode in range(3):
    model.fit(memory, verbose=0)
    model.train_on_batch(x[: 3 + episode], y[: 3 + episode])
