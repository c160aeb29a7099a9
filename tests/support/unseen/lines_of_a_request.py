"""A service that builds a dataset of the lines of each request."""

import tensorflow as tf


class Service:
    def __init__(self, scale):
        self.scale = scale

    def prepare(self, line):
        return tf.strings.to_number(tf.strings.split(line, ",")) * self.scale

    def handle(self, lines):
        dataset = tf.data.Dataset.from_tensor_slices(lines).map(self.prepare).batch(8)
        return [batch.numpy().tolist() for batch in dataset]


service = Service(2.0)
for request in (["1,2", "3,4"], ["5,6"], ["7,8", "9,1", "2,3"]):
    service.handle(request)
