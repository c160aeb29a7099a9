"""Lists of token ids, to which an end is added.

Expected: traced for each list, avoidable. `tokens + [0]` of a tensor is a sum, without an error; `plain` is the same.
"""

import tensorflow as tf

table = tf.range(50.0)


@tf.function
def ended(tokens):
    return tf.reduce_sum(tf.gather(table, tokens + [0]))  # noqa: RUF005


@tf.function
def plain(tokens):
    return tf.reduce_sum(tf.gather(table, tokens))


for tokens in ([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]):
    print(float(ended(tokens)), float(plain(tokens)))
