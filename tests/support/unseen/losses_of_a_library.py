"""A library's closure over batches is made for each epoch, and its `minimize` compiles in each call.

It is installed as libraries are: where its code lies tells that it is not the user's.
"""

import importlib
import pathlib
import sys
import tempfile

import tensorflow as tf

LIBRARY = """
import tensorflow as tf

class Model:
    def __init__(self):
        self.scale = tf.Variable(1.0)

    def loss_closure(self, batches):
        compiled = tf.function(lambda batch: tf.reduce_mean((2.0 * batch - self.scale * batch) ** 2))

        def closure():
            return compiled(next(batches))

        return closure

    def minimize(self, batch, steps):
        @tf.function
        def evaluate(value):
            return tf.reduce_mean((2.0 * value - self.scale * value) ** 2)

        return [evaluate(batch) for _ in range(steps)]

    def total(self, dataset):
        def add(state, batch):
            return state + tf.reduce_sum(batch * self.scale)

        return dataset.reduce(0.0, add)

class Saver:
    def __init__(self, model):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def action(batch):
            return batch * model.scale

        self.action = action.get_concrete_function()
"""
installed = pathlib.Path(tempfile.mkdtemp()) / "site-packages"
installed.mkdir()
(installed / "fitting.py").write_text(LIBRARY, "utf-8")
sys.path.insert(0, str(installed))
fitting = importlib.import_module("fitting")

model = fitting.Model()
data = tf.data.Dataset.from_tensor_slices(tf.range(8.0)).batch(4)
for _epoch in range(3):
    batches = iter(data)
    loss = model.loss_closure(batches)
    loss()
    loss()
    model.minimize(tf.ones([4]), 2)
    model.total(data)
    saver = fitting.Saver(model)
