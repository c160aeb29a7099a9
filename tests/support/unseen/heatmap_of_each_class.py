"""GradCAM: a Keras model is made in each trace, and Keras numbers it."""

import keras
import tensorflow as tf

inputs = keras.Input((8, 8, 3))
features = keras.layers.Conv2D(2, 3, name="features")(inputs)
model = keras.Model(inputs, keras.layers.Dense(5)(keras.layers.GlobalAveragePooling2D()(features)))


@tf.function
def heatmap(image, layer, index=None):
    both = keras.Model(model.inputs, [model.get_layer(layer).output, model.output])
    with tf.GradientTape() as tape:
        found, predictions = both(image)
        if index is None:
            index = tf.argmax(predictions[0])
        of_class = predictions[:, index]
    pooled = tf.reduce_mean(tape.gradient(of_class, found), axis=(0, 1, 2))
    return tf.maximum(tf.squeeze(found[0] @ pooled[..., tf.newaxis]), 0)


image = tf.ones([1, 8, 8, 3])
heatmap(image, "features")
for index in ("4", "2"):
    heatmap(image, "features", index=int(index))
