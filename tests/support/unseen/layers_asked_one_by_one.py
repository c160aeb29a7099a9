"""The outputs of each layer, by a model of its own that is made for every inference."""

import keras
import numpy as np

inputs = keras.Input((4,))
hidden = keras.layers.Dense(5, activation="relu", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(2, name="outputs")(hidden))


def outputs_of_layers(x):
    return {layer.name: keras.Model(model.input, layer.output).predict(x, verbose=0) for layer in model.layers[1:]}


for _ in range(3):
    outputs_of_layers(np.ones([6, 4], "float32"))
