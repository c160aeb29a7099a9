"""Each request makes an instance of its own, and has another number of rows."""

import tensorflow as tf


class Scaler:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    @tf.function
    def transform(self, x):
        return (x - self.mean) / self.std


for rows in (1, 5, 3, 8):
    scaler = Scaler(0.5, 2.0)
    scaler.transform(tf.ones([rows, 4]))
