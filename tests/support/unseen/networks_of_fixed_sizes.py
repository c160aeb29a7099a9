"""For a converter: a concrete function of each picture size, as its user wants to have one of fixed sizes for each."""

import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        self.kernel = tf.Variable(tf.ones([3, 3, 1, 2]))

    @tf.function
    def serve(self, picture):
        return {"out": tf.nn.conv2d(picture, self.kernel, 1, "SAME")}


net = Net()
for size in (16, 32, 48):
    concrete = net.serve.get_concrete_function(tf.TensorSpec([1, size, size, 1], tf.float32, name="picture"))
    print(concrete.structured_outputs["out"].shape)
