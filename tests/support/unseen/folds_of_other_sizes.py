"""k-fold: each fold has a model of its own, rows of its own number and a rate of its own."""

import keras
import numpy as np
import tensorflow as tf

X = np.random.default_rng(0).normal(size=(17, 3)).astype(np.float32)


@tf.function
def train_step(model, x, y, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
        variable.assign_sub(rate * gradient)
    return loss


for fold in range(3):
    net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, kernel_initializer="zeros")])
    rows = np.arange(17) % 3 != fold
    for _ in range(2):
        loss = train_step(net, X[rows], X[rows, :1], 0.1 / (fold + 1))
    print(fold, float(loss))
