"""A loss with weights that are adapted: a dictionary of numbers, which is passed, changed and printed."""

import tensorflow as tf

weight = tf.Variable([1.0, -2.0])
points = tf.constant([[1.0, 2.0], [0.5, 0.25]])
weights = {"pde": 1.0, "boundary": 0.5}


@tf.function
def train_step(points, weights):
    with tf.GradientTape() as tape:
        pde = tf.reduce_mean(tf.square(tf.linalg.matvec(points, weight)))
        boundary = tf.reduce_mean(tf.square(weight))
        loss = weights["pde"] * pde + weights["boundary"] * boundary
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss


for epoch in range(3):
    loss = train_step(points, weights)
    weights["boundary"] = 0.5 * weights["boundary"] + 0.125
    print(round(float(loss), 4), {name: round(value, 4) for name, value in weights.items()})
