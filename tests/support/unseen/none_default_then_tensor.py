"""An initial state that is None at first and a tensor afterwards, with a growing batch."""

import tensorflow as tf


@tf.function
def rnn(x, state=None):
    if state is None:
        state = tf.zeros_like(x)
    return state + x


state = None
for _ in range(3):
    state = rnn(tf.ones([2]), state)
