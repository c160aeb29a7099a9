"""A serving function that a class makes of its method, called with dictionaries of other lengths."""

import tensorflow as tf


class Model:
    def __init__(self, scale):
        self.table = tf.Variable(tf.ones([4, 2]) * scale)
        self.serving = tf.function(self.eager_serving)

    def eager_serving(self, inputs):
        return tf.reduce_sum(tf.gather(self.table, inputs["input_ids"]), 1)


for model in (Model(1.0), Model(2.0)):
    for length in (3, 5, 4):
        model.serving({"input_ids": tf.range(length)[None] % 4})
