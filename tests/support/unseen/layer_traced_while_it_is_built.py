"""A model whose `call` is a tf.function has no `build`: Keras traces it to build its layers, with initial weights."""

import keras
import tensorflow as tf


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(1, use_bias=False)

    @tf.function
    def call(self, x):
        return self.dense(x)


net = Net()
for x in tf.data.Dataset.from_tensor_slices(tf.ones([6, 3])).batch(4):
    net(x)
net.dense.kernel.assign(tf.zeros([3, 1]))
print([bool(tf.reduce_any(net(tf.ones([size, 3])) != 0)) for size in (4, 2)])
