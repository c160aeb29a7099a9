"""Four threads call one `tf.function`, each with a length of its own: they share its graphs, and each adds one.

Threads play no part in the signature. Declare the length as unknown and there is one trace.
"""

from __future__ import annotations

import threading

import tensorflow as tf


@tf.function  # to change: @tf.function(input_signature=[tf.TensorSpec([None])])
def total(data: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(data)


def work(length: int) -> None:
    for _ in range(3):
        total(tf.ones([length]))


threads = [threading.Thread(target=work, args=[length]) for length in (1, 2, 3, 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")

# mypy: disallow-untyped-decorators=False
