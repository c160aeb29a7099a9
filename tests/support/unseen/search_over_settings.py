"""A grid search makes a model, an optimizer and a step for each combination: each first call creates variables."""

import itertools

import tensorflow as tf


def make_step(model, optimizer, loss_name):
    losses = {"mse": tf.keras.losses.MeanSquaredError(), "mae": tf.keras.losses.MeanAbsoluteError()}
    loss_fn = losses[loss_name]

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return step


x, y = tf.ones([8, 4]), tf.ones([8, 1])
for units, rate, loss_name in itertools.product([4, 8], [0.1, 0.01], ["mse", "mae"]):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(rate)
    step = make_step(model, optimizer, loss_name)
    for _ in range(2):
        step(x, y)
