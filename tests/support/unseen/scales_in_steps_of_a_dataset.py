"""A dataset that goes through several steps of one line, each of a number of its own, built anew in each epoch."""

import tensorflow as tf

images = tf.reshape(tf.range(24.0), [8, 3])


def prepared(scales):
    dataset = tf.data.Dataset.from_tensor_slices(images)
    for scale in scales:
        dataset = dataset.map(lambda image: image * scale + 1.0)
    return dataset.batch(4)


for epoch in range(2):
    for batch in prepared([0.5, 2.0, 3.0]):
        total = tf.reduce_sum(batch)
