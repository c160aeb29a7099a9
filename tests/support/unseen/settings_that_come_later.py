"""Settings that are asked for before they are there: a key, an attribute, and one that has a default."""

import types

import tensorflow as tf

options, registry = types.SimpleNamespace(), {}


@tf.function
def scaled(x):
    y = x * getattr(options, "gain", 1.0)
    try:
        y = y * registry["weight"]
    except KeyError:
        y = y + 1.0
    return y + options.bias if hasattr(options, "bias") else y


for size, set_later in enumerate((lambda: setattr(options, "gain", 2.0), lambda: registry.update(weight=5.0),
                                  lambda: setattr(options, "bias", 1.0), lambda: None)):  # fmt: skip
    print(float(tf.reduce_sum(scaled(tf.ones([2 + size])))))
    set_later()
