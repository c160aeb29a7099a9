"""A step that is passed an optimizer made for each call, as examples have it that grew out of a notebook's cell."""

import tensorflow as tf

weights = tf.Variable([[0.5], [0.25]])
data = tf.reshape(tf.range(16.0), [8, 2]) / 16.0


def make_optimizer():
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
    optimizer.build([weights])
    return optimizer


@tf.function
def train_step(batch, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(batch, weights) - 1.0))
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
    return loss


for start in range(0, 8, 2):
    optimizer = make_optimizer()
    loss = train_step(data[start : start + 2], optimizer)
    print(f"{float(loss):.4f}")
