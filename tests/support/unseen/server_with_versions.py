"""Two versions of a model are loaded and served by one function that is passed the model; requests differ in length."""

import tensorflow as tf


class Net(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.w = [tf.Variable(tf.eye(3)) for _ in range(n)]

    def __call__(self, x):
        for w in self.w:
            x = x @ w
        return x


@tf.function
def predict(model, x):
    return tf.nn.softmax(model(x))


versions = {"v1": Net(1), "v2": Net(2)}
for version, n in (("v1", 1), ("v2", 1), ("v1", 3), ("v2", 2)):
    predict(versions[version], tf.ones([n, 3]))
