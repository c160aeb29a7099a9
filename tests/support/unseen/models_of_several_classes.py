"""One step for models of several classes that are trained side by side, each with an optimizer of its own kind."""

import tensorflow as tf


class Scale(tf.Module):
    def __init__(self):
        self.w = tf.Variable(1.0)

    def __call__(self, x):
        return x * self.w


class Shift(tf.Module):
    def __init__(self):
        self.w, self.b = tf.Variable(1.0), tf.Variable(0.0)

    def __call__(self, x):
        return x * self.w + self.b


class Each(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([3]))

    def __call__(self, x):
        return tf.tanh(x * self.w)


@tf.function
def step(model, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
    for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
        v.assign_sub(0.01 * g)
    return loss


models = [Scale(), Shift(), Each()]
for _ in range(3):
    for model in models:
        print(step(model, tf.ones([3])).numpy())
