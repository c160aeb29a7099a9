"""model(x) inside a function of the user's, with batches of many sizes."""

import keras
import tensorflow as tf

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])


@tf.function
def serve(x):
    return model(x, training=False)


for batch in (1, 2, 5, 2):
    serve(tf.ones([batch, 3]))
