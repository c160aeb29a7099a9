"""A tf.function that is made again since a number of its model has changed, and one that draws its own constant:
tensorflow/docs, guide/function.ipynb and guide/graph_optimization.ipynb."""

import numpy as np
import tensorflow as tf


class SimpleModel(tf.Module):
    def __init__(self):
        self.bias = 0.0
        self.weight = tf.Variable(2.0)


def evaluate(model, x):
    return model.weight * x + model.bias


def make():
    @tf.function
    def simple_function(x):
        return x * tf.constant(np.random.randn(3), tf.float32)

    return simple_function


x, model = tf.constant(10.0), SimpleModel()
for _ in range(2):
    print(tf.function(evaluate)(model, x).numpy())
    model.bias += 5.0
    make()(x)
