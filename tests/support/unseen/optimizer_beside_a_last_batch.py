"""A step that is passed its optimizer, over a dataset whose last batch is smaller."""

import keras
import tensorflow as tf

weights = tf.Variable(tf.ones([3, 1]))
optimizer = keras.optimizers.SGD(0.1)
optimizer.build([weights])


@tf.function
def train_step(optimizer, x, y, *, training):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ weights - y) ** 2)
    if training:
        optimizer.apply([tape.gradient(loss, weights)], [weights])
    return loss


data = tf.data.Dataset.from_tensor_slices((tf.ones([20, 3]), tf.ones([20, 1]))).batch(8)
for _ in range(2):
    for x, y in data:
        train_step(optimizer, x, y, training=True)
