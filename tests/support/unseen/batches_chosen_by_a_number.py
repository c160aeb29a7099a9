"""A list of tensors that a Python number chooses from: https://github.com/FlamTeam/flamedisx/pull/13 stacks them."""

import tensorflow as tf


class Source:
    def __init__(self):
        self.batches = [tf.random.stateless_uniform([3, 2], [seed, 1]) for seed in range(4)]

    def fetch(self, column, i_batch):
        return self.batches[i_batch][:, column]

    @tf.function
    def differential_rate(self, i_batch):
        return tf.reduce_sum(self.fetch(0, i_batch) * tf.exp(-self.fetch(1, i_batch)))


source = Source()
for i_batch in range(4):
    source.differential_rate(i_batch)
