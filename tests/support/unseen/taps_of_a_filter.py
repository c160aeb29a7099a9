"""Taps of a filter, which are kept by how many there are: of a tensor there is no such."""

import functools

import tensorflow as tf


@functools.lru_cache(maxsize=8)
def taps(count):
    return [1.0 / (place + 1) for place in range(count)]


@tf.function
def filtered(signal, count):
    return signal * sum(taps(count)) / 2.0


for count in (2, 3, 4, 2, 3):
    print(float(tf.reduce_sum(filtered(tf.ones([4]), count))))
