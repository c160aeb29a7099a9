"""Gradients are summed over a few steps: the number of the step decides when they are applied; there are more later."""

import tensorflow as tf

weights, summed = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])


@tf.function
def accumulate(x, step, every):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((weights * x - 1.0) ** 2)
    summed.assign_add(tape.gradient(loss, weights) / every)
    if (step + 1) % every == 0:
        weights.assign_sub(0.01 * summed)
        summed.assign(tf.zeros_like(summed))
    return loss


for step in range(6):
    accumulate(tf.constant([1.0, 0.5]), step, 2 if step < 3 else 3)
