"""A logging decorator around tf.function; the functions below it are called with several shapes."""

import functools

import tensorflow as tf


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
@tf.function
def encode(x):
    return x + 1.0


@tf.function
@logged
def decode(x):
    return x - 1.0


for rows in (1, 2, 3):
    decode(encode(tf.ones([rows, 2])))
