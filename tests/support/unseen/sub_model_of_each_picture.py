"""Features of each image by a sub-model that is made anew for each."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
inputs = keras.Input((8, 8, 1))
x = keras.layers.Conv2D(2, 3, name="conv")(inputs)
outputs = keras.layers.Dense(2)(keras.layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)


def features(image):
    extractor = keras.Model(model.inputs, model.get_layer("conv").output)
    return extractor.predict(image[None], verbose=0)


for n in range(4):
    print(n, float(features(np.full((8, 8, 1), n, "float32")).sum()))
