"""Batches that bounds cut out of an object's arrays, in the graph: snowkylin/tensorflow-handbook, mnist_tffunc.py."""

import numpy as np
import tensorflow as tf


class MNISTLoader:
    def __init__(self):
        random = np.random.default_rng(0)
        self.test_data = random.normal(size=(10, 4)).astype(np.float32)
        self.test_label = random.integers(0, 3, 10).astype(np.int32)


data_loader = MNISTLoader()
weights = tf.Variable(tf.ones([4, 3]))
accuracy = tf.keras.metrics.SparseCategoricalAccuracy()


@tf.function
def evaluate(start_index, end_index):
    y_pred = tf.matmul(data_loader.test_data[start_index:end_index], weights)
    accuracy.update_state(y_true=data_loader.test_label[start_index:end_index], y_pred=y_pred)


for batch_index in range(3):
    start_index, end_index = batch_index * 3, (batch_index + 1) * 3
    evaluate(start_index, end_index)
print(accuracy.result().numpy())
