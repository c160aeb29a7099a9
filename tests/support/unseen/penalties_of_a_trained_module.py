"""A module whose step trains all its variables; the weight of a penalty grows while the last batch is smaller."""

import tensorflow as tf


class Regression(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([3, 1]))
        self.penalty = 0.5

    @tf.function
    def step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(x @ self.w) + self.penalty * tf.reduce_sum(self.w**2)
        for variable, gradient in zip(self.trainable_variables, tape.gradient(loss, self.trainable_variables)):
            variable.assign_sub(0.125 * gradient)
        return loss


regression = Regression()
expected = 1.0
for size, penalty in ((4, 0.5), (4, 0.5), (3, 1.0), (2, 2.0)):
    regression.penalty = penalty
    regression.step(tf.ones([size, 3]))
    expected -= 0.125 * (1.0 + 2.0 * penalty * expected)
    # with one trace, it is that of the first penalty; and a penalty that is trained is another one
    assert abs(float(regression.w[0, 0]) - expected) < 1e-5
