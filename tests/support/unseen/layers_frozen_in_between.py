"""Fine-tuning in phases: layers are frozen and thawed by a flag that no argument tells, and batches change size."""

import keras
import tensorflow as tf

base = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])
model = keras.Sequential([base, keras.layers.Dense(1)])
model(tf.ones([1, 3]))
optimizer = keras.optimizers.SGD(0.1)
optimizer.build(model.trainable_variables)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for phase, rows in enumerate([4, 3, 5]):
    for layer in base.layers:
        layer.trainable = phase == 1
    for _ in range(2):
        train_step(tf.ones([rows, 3]), tf.ones([rows, 1]))
