"""A link simulator: how many, and how noisy, are Python numbers; what they are made to is a constant of float32."""

import tensorflow as tf


class Link:
    @tf.function
    def error_rate(self, batch_size, decibels):
        noise = 10.0 ** (-decibels / 10.0)
        return tf.reduce_mean(tf.ones([batch_size, 4]) * tf.sqrt(noise))


link = Link()
for decibels in (0.0, 1.0):
    for batch_size in (8, 16):
        link.error_rate(batch_size, decibels)
