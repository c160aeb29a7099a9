"""The first shapes do not fit and fail; later ones work."""

import tensorflow as tf

weight = tf.Variable(tf.ones([3, 2]))


@tf.function
def project(x):
    return x @ weight


for columns in (2, 4, 3, 3):
    try:
        project(tf.ones([5, columns]))
    except ValueError:
        pass
