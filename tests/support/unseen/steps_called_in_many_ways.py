"""One step called from four lines: a default left out, an option not given, starred arguments, over several lines."""

import tensorflow as tf

weights = tf.Variable([1.0, 2.0])


@tf.function
def clipped(gradient, limit):
    return tf.clip_by_norm(gradient, limit)


@tf.function
def step(x, y, rate=0.1, limit=None):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x * weights - y) ** 2)
    gradient = tape.gradient(loss, weights)
    if limit is not None:
        gradient = clipped(gradient, limit)
    weights.assign_sub(rate * gradient)
    return loss


batch = tf.ones([2]), tf.zeros([2])
for epoch in range(4):
    limit = 4.0 / epoch if epoch > 1 else None
    step(*batch)
    step(*batch, rate=0.05 / (epoch + 1))
    step(
        batch[0],
        batch[1],
        limit=limit,
    )
