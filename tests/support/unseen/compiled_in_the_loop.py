"""What is made into a tf.function for each request: a callable object, a bound method, a Keras model, a SavedModel."""

import tempfile

import keras
import tensorflow as tf


class Reward:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return tf.reduce_sum(x) * self.scale


class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable(2.0)

    def infer(self, x):
        return self.w * x

    def __call__(self, x):
        return tf.function(self.infer)(x)


class Doubler(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def double(self, x):
        return x * 2.0


reward, net = Reward(2.0), Net()
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
saved = tempfile.mkdtemp()
tf.saved_model.save(Doubler(), saved)
for size in (2, 2, 3):
    scored = tf.function(reward)
    scored(tf.ones([size]))
    net(tf.ones([size]))
    compiled = tf.function(model)
    compiled(tf.ones([size, 3]))
    loaded = tf.saved_model.load(saved)
    loaded.double(tf.ones([size]))
