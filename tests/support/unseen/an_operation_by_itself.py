"""A function of TensorFlow's own is compiled by itself, and called with several sizes."""

import tensorflow as tf

product = tf.function(tf.linalg.matmul)
for n in (2, 3, 4):
    product(tf.ones([n, 3]), tf.ones([3, n]), transpose_a=False)
