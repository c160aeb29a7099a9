"""A step is called as it is, then inside a strategy's scope, then by the strategy on two devices.

Entering the scope is another place of tracing, so the step is traced again there. On the devices it becomes part of one
function of the strategy's own. Nothing to change; call functions either inside the scope or outside.
"""

from __future__ import annotations

import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


@tf.function
def step(x: tf.Tensor) -> tf.Tensor:
    return x + 1.0


@tf.function
def on_all_devices(x: tf.Tensor) -> tf.Tensor:
    return strategy.reduce("sum", strategy.run(step, args=[x]), axis=None)


print(step(tf.constant(1.0)).numpy())
with strategy.scope():
    print(step(tf.constant(1.0)).numpy())
for value in (1.0, 2.0):
    print(on_all_devices(tf.constant(value)).numpy())

# mypy: disallow-untyped-decorators=False
