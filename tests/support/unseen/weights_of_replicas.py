"""Variables of a strategy, members and combinations of flags as arguments."""

import enum

import tensorflow as tf

cpus = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    weights = [tf.Variable(tf.ones([size])) for size in (2, 2, 3)]


class Norm(enum.Flag):
    SQUARED = enum.auto()
    MEAN = enum.auto()


@tf.function
def norm(weight, how):
    value = tf.reduce_mean(weight**2) if Norm.MEAN in how else tf.reduce_sum(weight**2)
    return value if Norm.SQUARED in how else tf.sqrt(value)


for weight in weights:
    norm(weight, Norm.SQUARED)
norm(tf.Variable(tf.ones([2])), Norm.SQUARED)
for how in (Norm.SQUARED | Norm.MEAN, Norm(0), Norm.SQUARED & Norm.MEAN):
    norm(weights[0], how)
