"""Datasets for several rates at once, and one order for all passes over each that is built."""

import tensorflow as tf

rows = tf.data.Dataset.range(4)


def scaled(rate):
    return rows.map(lambda row: tf.cast(row, tf.float32) * rate)


parts = [scaled(rate) for rate in (0.5, 1.5, 2.5)]
for part in parts:
    print([float(value) for value in part])


def doubled(row):
    return row * 2


tf.random.set_seed(1)
for _ in range(3):
    dataset = rows.shuffle(4, reshuffle_each_iteration=False).map(doubled)
    print([int(row) for row in dataset])
