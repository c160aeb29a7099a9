"""A loop from scratch: the metric is made anew in each epoch, and the loss has another weight."""

import keras
import tensorflow as tf

metric = keras.metrics.Mean()


@tf.function
def train_step(x, weight):
    loss = weight * tf.reduce_sum(x)
    metric.update_state(loss)
    return loss


dataset = tf.data.Dataset.from_tensor_slices(tf.ones([5, 2])).batch(3)
for weight in (1.0, 0.5):
    metric = keras.metrics.Mean()
    for x in dataset:
        train_step(x, weight)
