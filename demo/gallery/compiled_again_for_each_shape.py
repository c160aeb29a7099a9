"""`jit_compile=True` with an unknown dimension: one trace, but XLA compiles again for each length.

XLA needs all dimensions. Pad to a few lengths where compiling takes long.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None])])
def total(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(data * data)


for length in (2, 3, 2, 4):
    print(total(tf.ones([length])).numpy())

# mypy: disallow-untyped-decorators=False
