"""A library's `minimize(closure)` compiles around a closure over each minibatch, which is a closure of a closure."""

import tensorflow as tf

scale = tf.Variable(1.0)


def training_loss_closure(batch):
    def closure():
        return tf.reduce_mean((2 * batch - scale * batch) ** 2)

    return closure


def minimize(closure):
    @tf.function
    def evaluated():
        with tf.GradientTape() as tape:
            loss = closure()
        scale.assign_sub(0.1 * tape.gradient(loss, scale))
        return loss

    return evaluated()


def fitted(power):
    def closure():
        return scale**power

    @tf.function
    def powered():
        return closure() + 0.0

    return powered()


for start in (0.0, 1.0, 2.0):
    minimize(training_loss_closure(tf.range(3.0) + start))
for power in (1.5, 2.5):
    fitted(power)
