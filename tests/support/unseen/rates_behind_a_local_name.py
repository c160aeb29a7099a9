"""A local name for a part of the configuration: what is read of it falls from epoch to epoch, as alpha rises."""

import tensorflow as tf

CONFIG = {"optimizer": {"rate": 0.1}}
weights = tf.Variable([1.0, 2.0])


@tf.function
def step(x, alpha):
    options = CONFIG["optimizer"]
    with tf.GradientTape() as tape:
        loss = alpha * tf.reduce_sum((weights - x) ** 2)
    weights.assign_sub(options["rate"] * tape.gradient(loss, weights))
    return loss


for epoch in range(3):
    step(tf.ones([2]), 0.5 + epoch / 10)
    CONFIG["optimizer"]["rate"] *= 0.5
