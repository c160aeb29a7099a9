"""tape.jacobian inside a traced function: TensorFlow traces helpers of its own."""

import tensorflow as tf


@tf.function
def jacobian(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x)


jacobian(tf.ones([2]))
jacobian(tf.ones([2]))
jacobian(tf.ones([3]))
