"""A MirroredStrategy on two virtual devices of one process. Argument: the log directory."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf

from tb_retrace_plugin import record, set_step

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
with strategy.scope():
    weight = tf.Variable(1.0)
bodies = 0


@tf.function
def train_step(x: tf.Tensor, number: int) -> Any:
    def replica_step(x: tf.Tensor) -> tf.Tensor:
        global bodies
        bodies += 1
        weight.assign_add(0.1 * tf.reduce_mean(x) * float(number))
        context = tf.distribute.get_replica_context()
        return context.all_reduce("sum", weight.read_value())

    return strategy.reduce("mean", strategy.run(replica_step, args=(x,)), axis=None)


with record(sys.argv[1]):
    for step in range(3):
        set_step(step)
        train_step(tf.constant([1.0, 2.0]), step)
print("bodies", bodies, "traces", train_step.experimental_get_tracing_count())

# mypy: disallow-untyped-decorators=False
