"""Code that asks for a size of one, which an unknown one never is; and gradients, which TensorFlow builds otherwise."""

import tensorflow as tf

weights = tf.Variable(tf.ones([3, 2]))


@tf.function
def coloured(picture):
    if picture.shape[-1] == 1:
        picture = tf.repeat(picture, 3, axis=-1)
    return tf.reduce_sum(picture)


@tf.function
def train(x, mask):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights) * mask)
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


for channels in (1, 3):
    coloured(tf.ones([2, 2, channels]))
for rows in (4, 1, 2):
    train(tf.ones([rows, 3]), tf.ones([rows, 1]))
