"""Each request passes an object of settings made anew, the last one's is gone, and has another number of rows."""

import tensorflow as tf


class Settings:
    def __init__(self, low, high):
        self.low, self.high = low, high


@tf.function
def clipped(x, settings):
    return tf.clip_by_value(x, settings.low, settings.high)


for rows in (1, 5, 3, 8):
    settings = Settings(-1.0, 1.0)
    clipped(tf.ones([rows, 4]), settings)
