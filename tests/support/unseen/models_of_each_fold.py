"""k-fold, and clients of a federation: a model and an optimizer are made anew for each, and passed to one step."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = rng.normal(size=(12, 3)).astype("float32")
y = x.sum(1, keepdims=True)


@tf.function
def train_step(model, optimizer, xb, yb):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(xb, training=True) - yb) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for fold in range(3):
    net = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1, kernel_initializer="zeros")])
    opt = keras.optimizers.SGD(0.1)
    opt.build(net.trainable_variables)
    for _ in range(2):
        loss = train_step(net, opt, x[fold::3], y[fold::3])
    print(fold, float(loss))
