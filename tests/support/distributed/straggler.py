"""One of two workers of a MultiWorkerMirroredStrategy; the second one gets another Python value at each step.

Arguments: the log directory, how many steps, which worker is the straggler.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import tensorflow as tf

from tb_retrace_plugin import record, set_step

log_dir, steps, straggler = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
worker = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    weight = tf.Variable(1.0)


@tf.function
def train_step(x: tf.Tensor, number: int) -> Any:
    if number:  # while tracing: a large model
        time.sleep(0.3)

    def replica_step(x: tf.Tensor) -> tf.Tensor:
        weight.assign_add(0.1 * tf.reduce_mean(x))
        context = tf.distribute.get_replica_context()
        return context.all_reduce("sum", weight.read_value())

    return strategy.run(replica_step, args=(x,))


with record(log_dir):
    for step in range(steps):
        set_step(step)
        result = train_step(tf.constant([1.0, 2.0]), step if worker == straggler else 0)
print("result", float(result), "traces", train_step.experimental_get_tracing_count())

# mypy: disallow-untyped-decorators=False
