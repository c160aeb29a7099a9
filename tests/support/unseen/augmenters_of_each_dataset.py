"""Augmenters that are made for each dataset: of one gain for other data, and of another gain for the same data."""

import tensorflow as tf


class Scaled:
    def __init__(self, gain):
        self.gain = gain

    def image(self, x):
        return x * self.gain


class Shifted(Scaled):
    def shift(self, x):
        return x + self.gain


images = tf.reshape(tf.range(24.0), [8, 3])
totals = []
for fold in range(3):
    for x in tf.data.Dataset.from_tensor_slices(images[fold:]).map(Scaled(2.0).image).batch(4):
        totals.append(float(tf.reduce_sum(x)))
for gain in (0.5, 1.5, 2.5):
    shifted = Shifted(gain)
    for x in tf.data.Dataset.from_tensor_slices(images).map(shifted.shift).batch(4):
        totals.append(float(tf.reduce_sum(x)))
assert totals[-1] == 240.0
