"""A class method and a function of `**options`, of which TensorFlow takes no input signature."""

import tensorflow as tf


class Scorer:
    @classmethod
    @tf.function
    def score(cls, values, größe):
        return tf.reduce_sum(values) * größe


@tf.function
def weighted(values, **options):
    return tf.reduce_sum(values * options["gewichte"])


for rows in range(2, 6):
    values = tf.ones([rows])
    print("Größe", float(Scorer.score(values, größe=tf.constant(2.0))))
    print(float(weighted(values, gewichte=values)))
