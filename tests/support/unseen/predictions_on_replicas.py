"""Predictions one by one under MirroredStrategy of two devices."""

import keras
import numpy as np
import tensorflow as tf

cpu, two = tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, two)
keras.utils.set_random_seed(0)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
for n in range(3):
    print(model.predict(np.full((2, 3), n, "float32"), verbose=0).ravel())
