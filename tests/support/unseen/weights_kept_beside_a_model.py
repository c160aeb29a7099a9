"""A trainer for each width keeps its model's weights aside while it evaluates, in variables that no graph reads."""

import tensorflow as tf


class Net(tf.Module):
    def __init__(self, units):
        self.w = tf.Variable(tf.ones([3, units]))

    def __call__(self, x):
        return tf.reduce_sum(x @ self.w)


class Trainer:
    def __init__(self, units):
        self.model = Net(units)
        self.backups = [tf.Variable(v, trainable=False) for v in self.model.variables]

    @tf.function
    def evaluate(self, x):
        return self.model(x)


for units in (2, 3):
    trainer = Trainer(units)
    for variable, backup in zip(trainer.model.variables, trainer.backups):
        backup.assign(variable)
        variable.assign(variable * 0.5)
    print(float(trainer.evaluate(tf.ones([4, 3]))))
