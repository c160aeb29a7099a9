"""A model of each width has a step for all of its variables, and one for some; a loss is an object or a function."""

import tensorflow as tf


class Net(tf.Module):
    def __init__(self, units):
        self.w, self.b = tf.Variable(tf.ones([3, units])), tf.Variable(tf.zeros([units]))

    def __call__(self, x):
        return x @ self.w + self.b


class Penalized:
    def __init__(self, net):
        self.net = net

    def __call__(self, y):
        return tf.reduce_mean(y**2) + 0.1 * tf.reduce_sum(self.net.w**2)


class Model:
    def __init__(self, units):
        self.net = Net(units)
        self.loss = Penalized(self.net)
        self.steps = {}

    def make_step(self, variables):
        @tf.function
        def step(x, loss):
            with tf.GradientTape() as tape:
                value = loss(self.net(x))
            trained = self.net.trainable_variables if variables is None else variables
            for variable, gradient in zip(trained, tape.gradient(value, trained)):
                variable.assign_sub(0.1 * gradient)
            return value

        return step

    def fit(self, x, variables=None, loss=None):
        key = None if variables is None else tuple(v.ref() for v in variables)
        if key not in self.steps:
            self.steps[key] = self.make_step(variables)
        return float(self.steps[key](x, loss or self.loss))


x = tf.ones([4, 3])
for units in (2, 5):
    model = Model(units)
    print(model.fit(x), model.fit(x, [model.net.b]))
    print(model.fit(x, loss=lambda y: tf.reduce_mean(tf.abs(y))))
