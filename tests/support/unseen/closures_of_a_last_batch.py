"""A step that is compiled within another, and closes over its batch: the last one of each epoch is smaller."""

import tensorflow as tf

weight = tf.Variable(tf.ones([4, 1]))


def train_step(x, y):
    @tf.function
    def inner_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ weight - y) ** 2)
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return loss

    return inner_step()


batches = tf.data.Dataset.from_tensor_slices((tf.ones([10, 4]), tf.ones([10, 1]))).batch(4)
for epoch in range(2):
    for x, y in batches:
        train_step(x, y)
