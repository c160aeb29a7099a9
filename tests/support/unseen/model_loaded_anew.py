"""A model is saved and loaded after each epoch, and the function reads it by its global name; sizes of batches vary."""

import tempfile

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
path = tempfile.mkdtemp() + "/model.keras"


@tf.function
def predict(x):
    return model(x, training=False)


for rows in (2, 3, 4):
    predict(tf.ones([rows, 2]))
    model.save(path)
    model = keras.models.load_model(path)
    model.layers[-1].kernel.assign_add(tf.ones([2, 1]))
