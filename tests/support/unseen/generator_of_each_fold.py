"""Each fold has a generator of its own, over other files."""

import functools

import tensorflow as tf


def lines(files, limit):
    yield from files[:limit]


def fold(number):
    files = [f"part-{number}-{index}" for index in range(3)]
    return tf.data.Dataset.from_generator(functools.partial(lines, files, limit=2), output_types=tf.string)


for number in (0, 1, 1):
    assert len(list(fold(number))) == 2
