"""tensorflow#27120: the second fold's optimizer creates its variables in a call that is not the function's first."""

import keras
import tensorflow as tf


@tf.function
def train_step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


x, y = tf.ones([4, 2]), tf.ones([4, 1])
for fold in range(2):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(momentum=0.9)
    try:
        for _ in range(2):
            train_step(model, optimizer, x, y)
    except ValueError as error:
        print("fold", fold, type(error).__name__)
