"""A normalizer begins with the first batch's mean, which TensorFlow cannot compute apart from the call."""

import tensorflow as tf


class Normalizer(tf.Module):
    def __init__(self):
        super().__init__()
        self.mean = None

    @tf.function
    def normalized(self, x):
        if self.mean is None:
            self.mean = tf.Variable(tf.reduce_mean(x, axis=0))
        self.mean.assign(0.9 * self.mean + 0.1 * tf.reduce_mean(x, axis=0))
        return x - self.mean


normalizer = Normalizer()
for rows in (4, 4, 3):
    print(float(tf.reduce_sum(normalizer.normalized(tf.ones([rows, 2])))))
