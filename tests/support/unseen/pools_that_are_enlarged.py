"""An instance for each trial, enlarged after its first call: graphs for other shapes hold what it became."""

import tensorflow as tf


class Pool:
    def __init__(self, capacity):
        self.capacity = capacity

    @tf.function
    def mean(self, x):
        return tf.reduce_mean(x) * float(self.capacity)


for trial in range(3):
    pool = Pool(4)
    print(float(pool.mean(tf.constant([1.0, float(trial)]))))
    pool.capacity = 8 + trial
    print(float(pool.mean(tf.constant([1.0, 2.0, 3.0]))))
