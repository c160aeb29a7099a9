"""A function is called, saved with a SavedModel, loaded and called again.

Saving traces it once more, as a graph to be saved may treat variables otherwise. The loaded function has a trace of its
own, in which it picks one of the graphs that were saved. Nothing to change.
"""

from __future__ import annotations

import tempfile

import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None])])
def double(x: tf.Tensor) -> tf.Tensor:
    return x * 2.0


print(double(tf.ones([2])).numpy())
module = tf.Module()
module.double = double
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(module, folder)
    restored = tf.saved_model.load(folder)
for length in (2, 3):
    print(restored.double(tf.ones([length])).numpy())

# mypy: disallow-untyped-decorators=False
