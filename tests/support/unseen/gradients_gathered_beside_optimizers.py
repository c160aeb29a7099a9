"""A step is passed a dictionary of optimizers, into which the loop puts the gradients that it gathers; what freezes
layers within layers calls itself, and is passed the model alone. The weight of a loss comes from NumPy, and is another
one in each of three phases, of batches of other sizes; an offset is False until there is one."""

import numpy as np
import tensorflow as tf


class Layer(tf.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts, self.frozen = list(parts), False
        self.w = tf.Variable(tf.ones([3]))


def freeze(layer):
    layer.frozen = True
    for part in layer.parts:
        freeze(part)


@tf.function
def step(model, x, optimizers):
    freeze(model)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.w * x) * optimizers["scale"]
    return loss, tape.gradient(loss, model.w)


class Losses:
    def __init__(self):
        self.weight = 1.0

    @tf.function
    def weighted(self, x):
        return tf.reduce_mean(x) * self.weight

    @tf.function
    def shifted(self, x, offset):
        if offset is not False:
            x = x - offset
        return tf.reduce_sum(x)


model = Layer(Layer(), Layer(Layer()))
optimizers = {"scale": tf.constant(0.5)}
for batch in range(4):
    loss, gradient = step(model, tf.ones([3]) * batch, optimizers)
    optimizers["gathered"] = gradient
    print(float(loss))

losses = Losses()
for size, weight in zip((4, 6, 8), np.linspace(1.0, 0.25, 3)):
    losses.weight = weight
    print(float(losses.weighted(tf.ones([size]))))
for offset in (False, tf.constant(1.0), False, tf.constant(2.0)):
    print(float(losses.shifted(tf.ones([4]), offset)))
