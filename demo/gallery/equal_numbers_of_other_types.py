"""`1`, `1.0` and `True` are equal as Python values: the second and the third call are served by the first one's graph.

Nothing is traced again. But that graph has the first call's constant in it, and with it its dtype: int32 for all three.
"""

from __future__ import annotations

import tensorflow as tf


@tf.function
def filled(value: float) -> tf.Tensor:
    return tf.fill([2], value)


for value in (1, 1.0, True):
    print(filled(value).dtype.name)

# mypy: disallow-untyped-decorators=False
