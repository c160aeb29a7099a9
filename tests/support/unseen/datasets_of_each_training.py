"""Each training makes the same tensors anew, and maps two datasets with a function that closes over them."""

import tensorflow as tf


def training(epochs):
    mean, std = tf.constant(0.5), tf.constant(0.2)

    def prepared(x):
        return (x - mean) / std

    train = tf.data.Dataset.from_tensor_slices(tf.range(4.0)).map(prepared)
    test = tf.data.Dataset.from_tensor_slices(tf.ones([2])).map(prepared)
    return [sum(float(x) for data in (train, test) for x in data) for _ in range(epochs)]


for epochs in (1, 2, 1):
    training(epochs)
