"""A lambda is wrapped again in each round of a loop, over a number that counts the rounds."""

import tensorflow as tf

x = tf.ones([3])
for scale in range(4):
    tf.function(lambda v: v * float(scale))(x)
