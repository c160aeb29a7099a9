"""Windows of a series are made by flat_map with a lambda, in each epoch, with another shift."""

import tensorflow as tf


def windows(series, size, shift):
    ds = tf.data.Dataset.from_tensor_slices(series).window(size + 1, shift=shift, drop_remainder=True)
    ds = ds.flat_map(lambda w: w.batch(size + 1))
    return ds.map(lambda w: (w[:-1], w[-1]))


for epoch in range(3):
    total = 0.0
    for x, y in windows(tf.range(10.0), 3, 1):
        total += float(tf.reduce_sum(x) + y)
    print(total)
