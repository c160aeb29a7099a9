"""Folds: a builder makes pipelines for training and for validation in two lines, and one line makes those of files."""

import tensorflow as tf

ROWS = tf.range(12)
FILES = {"train": 6, "val": 4}


def halved(row):
    return tf.cast(row, tf.float32) / 2.0


def doubled(row):
    return row * 2


def make(rows):
    dataset = tf.data.Dataset.from_tensor_slices(rows)
    return dataset.map(halved).batch(2)


class Data:
    def dataset(self, split):
        return tf.data.Dataset.range(FILES[split]).map(doubled)


data = Data()
total = 0.0
for epoch in range(2):
    train = make(ROWS[:8])
    val = make(ROWS[8:])
    for batch in train:
        total += float(tf.reduce_sum(batch))
    for batch in val:
        total -= float(tf.reduce_sum(batch))
    for split in ("train", "val"):
        for row in data.dataset(split):
            total += float(row)
assert total == 74.0
