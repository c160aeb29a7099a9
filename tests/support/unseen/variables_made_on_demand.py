"""A helper creates variables the first time that it is asked for them, inside a traced training step."""

import tensorflow as tf

parameters = {}


def get_parameter(name, shape):
    if name not in parameters:
        parameters[name] = tf.Variable(tf.ones(shape), name=name)
    return parameters[name]


@tf.function
def network(x):
    return x @ get_parameter("weight", [4, 2]) + get_parameter("bias", [2])


@tf.function
def train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(network(x) ** 2)
    for variable, gradient in zip(parameters.values(), tape.gradient(loss, list(parameters.values()))):
        variable.assign_sub(0.1 * gradient)
    return loss


for _ in range(3):
    train(tf.ones([8, 4]))
