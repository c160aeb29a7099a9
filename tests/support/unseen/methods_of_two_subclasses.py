"""A decorated method of the base class, called on instances of two subclasses, and one of the class, on two classes."""

import tensorflow as tf


class Base(tf.Module):
    factor = 2.0

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def forward(self, x):
        return self.activate(x)

    @classmethod
    @tf.function
    def scale(cls, x):
        return x * cls.factor


class Relu(Base):
    def activate(self, x):
        return tf.nn.relu(x)


class Tanh(Base):
    factor = 3.0

    def activate(self, x):
        return tf.nn.tanh(x)


models = [Relu(), Tanh()]
for n in (1, 2):
    for model in models:
        model.forward(tf.ones([n, 2]))
        model.scale(tf.ones([2]))
