"""A loss without arguments is made for each pair of inputs and targets; each epoch's last pair is smaller."""

import tensorflow as tf

w = tf.Variable(tf.ones([3]))
data = tf.data.Dataset.from_tensor_slices((tf.ones([6, 3]), tf.zeros([6]))).batch(4)


def minimize(pair):
    @tf.function
    def loss():
        x, y = pair
        return tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)

    w.assign_sub(0.01 * loss() * tf.ones([3]))


for _ in range(2):
    for pair in data:
        minimize(pair)
