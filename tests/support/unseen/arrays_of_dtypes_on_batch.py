"""Some batches have sample weights, some a class weight, and some are of float64."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, "softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
x, y = np.ones((4, 3), "float32"), np.array([0, 1, 0, 1])
print(model.train_on_batch(x, y))
print(model.train_on_batch(x, y, sample_weight=np.ones(4, "float32")))
print(model.train_on_batch(x, y, class_weight={0: 1.0, 1: 2.0}))
x = x.astype("float64")
print(model.train_on_batch(x, y))
x = x.astype("float32")
y = y.astype("int32")
print(model.train_on_batch(x, y))
