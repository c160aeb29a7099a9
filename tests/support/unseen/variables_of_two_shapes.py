"""An optimizer's update is one function for all variables, which have several shapes."""

import tensorflow as tf


@tf.function
def update(variable, gradient):
    variable.assign_sub(0.1 * gradient)


for variable in [tf.Variable(tf.ones(shape)) for shape in ([2], [3], [2, 2], [2])]:
    update(variable, tf.ones_like(variable))
