"""One update function is shared by two models and their optimizers, which are passed to it."""

import keras
import tensorflow as tf


@tf.function
def update(model, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
    return loss


def make():
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)])
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    return model, optimizer


generator, discriminator = make(), make()
for _ in range(3):
    update(*generator, tf.ones([4, 3]))
    update(*discriminator, tf.ones([4, 3]))
