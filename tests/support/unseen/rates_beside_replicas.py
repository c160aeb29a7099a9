"""A step of two devices is passed the parts of a distributed batch, the last of which is smaller, and a rate."""

import numpy as np
import tensorflow as tf

cpu, two = tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.arange(20, dtype="float32").reshape(10, 2)
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(8)
distributed = strategy.experimental_distribute_dataset(data)


def on_replica(x, y, rate):
    return rate * tf.reduce_sum(x * y)


@tf.function
def step(x, y, rate):
    return strategy.reduce("sum", strategy.run(on_replica, args=(x, y, rate)), axis=None)


for epoch in range(2):
    total = sum(float(step(x, y, 1.0 / (epoch + 1))) for x, y in distributed)
    assert total == 2370.0 / (epoch + 1), total
