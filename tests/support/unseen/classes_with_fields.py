"""Classes that TensorFlow takes apart: by `__tf_flatten__`, and an ExtensionType with a dictionary."""

import typing

import tensorflow as tf


class Graph:
    def __init__(self, nodes, edges, directed):
        self.nodes, self.edges, self.directed = nodes, edges, directed

    def __tf_flatten__(self):
        return (self.directed,), (self.nodes, self.edges)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


class Batch(tf.experimental.ExtensionType):
    x: tf.Tensor
    extra: typing.Mapping[str, tf.Tensor]
    mask: typing.Optional[tf.Tensor] = None  # noqa: UP045 (TensorFlow 2.16 knows no other way)


@tf.function
def message(g):
    total = tf.reduce_sum(tf.gather(g.nodes, g.edges[:, 0]))
    return total if g.directed else 2.0 * total


@tf.function
def loss(b):
    total = tf.reduce_sum(b.x)
    for key in sorted(b.extra):
        total += tf.reduce_sum(b.extra[key])
    return total if b.mask is None else total * tf.reduce_max(b.mask)


for n, directed in ((3, True), (3, False), (4, False), (5, False)):
    message(Graph(tf.ones([n, 2]), tf.zeros([n, 2], tf.int32), directed))

one = tf.ones([3])
loss(Batch(one, {"a": one}))
loss(Batch(one, {"a": one}, one))
loss(Batch(one, {"a": one, "b": one}))
for n in (4, 5, 6):
    loss(Batch(tf.ones([n]), {"a": tf.ones([n])}))
