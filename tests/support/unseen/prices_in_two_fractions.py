"""Prices of options, as tf-quant-finance has them: Python numbers go with arrays of both dtypes that are asked for."""

import numpy as np
import tensorflow as tf


@tf.function
def price(*, strikes, spot, are_calls=None, dtype=None):
    strikes = tf.convert_to_tensor(strikes, dtype)
    gains = tf.convert_to_tensor(spot, strikes.dtype) - strikes
    if are_calls is None:
        return tf.nn.relu(gains)
    return tf.nn.relu(tf.where(tf.convert_to_tensor(are_calls, tf.bool), gains, -gains))


strikes = np.array([95.0, 100.0, 105.0], np.float32)
for spot in (100.0, 101.0, 99.5):
    price(strikes=strikes, spot=spot)
precise = price(strikes=strikes.astype(np.float64), spot=100.1, dtype=tf.float64)
assert abs(float(precise[0]) - 5.1) < 1e-12
for calls in ([True, False, True], [True, True, False]):
    price(strikes=strikes, spot=99.5, are_calls=calls)
