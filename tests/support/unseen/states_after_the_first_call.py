"""A decoder whose states are None at first: of each size a trace of the one kind and of the other. And a last batch."""

import tensorflow as tf


@tf.function
def generate(x, states=None):
    if states is None:
        states = tf.zeros_like(x)
    return x + states, states + 1.0


@tf.function
def masked(x, mask):
    total = tf.reduce_sum(x)
    return total if mask is None else total * tf.reduce_max(mask)


for n in (1, 2, 3, 4):
    y, states = generate(tf.ones([n]))
    generate(y, states)

for n, has_mask in ((4, True), (4, False), (2, True)):
    masked(tf.ones([n, 3]), tf.ones([n]) if has_mask else None)
