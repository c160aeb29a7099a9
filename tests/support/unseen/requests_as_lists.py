"""A server passes on what it was sent, lists of token numbers; another one makes tensors of them."""

import tensorflow as tf

w = tf.Variable(tf.ones([1, 2]))


@tf.function
def infer(tokens, temperature=1.0):
    return tf.reduce_sum(tf.cast(tokens, tf.float32)[..., None] * w, axis=1) / temperature


requests = [[[1, 2, 3]], [[1, 2], [3, 4]], [[5]], [[1, 2, 3]]]
for r in requests:
    infer(r)
for r in requests:
    infer(tf.constant(r))
for temp in (0.7, 0.8):
    infer(tf.constant(requests[0]), temperature=temp)
