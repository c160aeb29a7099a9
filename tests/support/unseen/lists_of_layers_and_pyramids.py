"""Lists of other lengths, over which Python goes: of objects with a trace type of their own, fields, and tensors."""

import itertools

import tensorflow as tf
from tensorflow.types.experimental import TraceType


class KindOfLayer(TraceType):
    def __init__(self, factor):
        self.factor = factor

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(other == self for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return Layer(self.factor)

    def __eq__(self, other):
        return isinstance(other, KindOfLayer) and other.factor == self.factor

    def __hash__(self):
        return hash(self.factor)


class Layer:
    def __init__(self, factor):
        self.factor = factor

    def __tf_tracing_type__(self, context):
        return KindOfLayer(self.factor)


class Level(tf.experimental.ExtensionType):
    features: tf.Tensor
    stride: int


@tf.function
def stack(layers, x):
    for layer in layers:
        x = tf.nn.relu(x * layer.factor)
    return tf.reduce_sum(x)


@tf.function
def heads(levels):
    return sum(tf.reduce_mean(level.features) / level.stride for level in levels)


@tf.function
def network(weights, x):
    for weight in weights:
        x = tf.nn.relu(x @ weight)
    return tf.reduce_sum(x)


scales = [tf.Variable(float(k)) for k in range(4)]


@tf.function
def scaled(outputs):
    return sum(tf.reduce_mean(output) * scale for output, scale in zip(outputs, scales))


for n in (2, 3, 4):
    stack([Layer(2.0)] * n, tf.ones([4]))
    heads([Level(tf.ones([1, 8, 8, 3]), 8)] * n)
    sizes = [3] + [4] * (n - 1) + [1]
    network([tf.ones(pair) for pair in itertools.pairwise(sizes)], tf.ones([2, 3]))
    scaled([tf.ones([4])] * n)
