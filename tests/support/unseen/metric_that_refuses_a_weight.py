"""A metric in a tf.function, with a smaller last batch; calls with weights fail, and are tried again."""

import keras
import tensorflow as tf

metric = keras.metrics.MeanSquaredError()


@tf.function
def update(targets, predictions, sample_weight=None):
    metric.update_state(targets, predictions, sample_weight=sample_weight)


for rows in (4, 4, 2):
    update(tf.ones([rows]), tf.zeros([rows]))
    try:
        update(tf.ones([rows]), tf.zeros([rows]), sample_weight=tf.ones([rows]))
    except ValueError:
        update(tf.ones([rows]), tf.zeros([rows]))
