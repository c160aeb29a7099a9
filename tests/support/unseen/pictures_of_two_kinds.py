"""A line maps one of two functions, for other data: that tf.data makes a function for other data is no closure."""

import tensorflow as tf


def make_dataset(pictures, size, training):
    def augmented(picture):
        return tf.image.resize(picture, [size, size]) + tf.random.uniform([])

    def prepared(picture):
        return tf.image.resize(picture, [size, size])

    return tf.data.Dataset.from_tensor_slices(pictures).map(augmented if training else prepared).batch(2)


train, test = tf.ones([4, 3, 3, 1]), tf.zeros([2, 3, 3, 1])
for one in (train, test):
    for _ in make_dataset(one, 2, training=True):
        pass
for _ in range(3):
    for one in (train, test):
        for batch in make_dataset(one, 2, training=False):
            assert batch.shape[1:] == (2, 2, 1)
