"""MAML's inner steps: first on the variables, then on the tensors that came of it; tasks of 10 and 5 shots."""

import tensorflow as tf

meta = [tf.Variable([[0.5], [0.2]]), tf.Variable([0.1])]


@tf.function
def adapt(weights, x, y, rate):
    weights = [tf.convert_to_tensor(weight) for weight in weights]
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_mean((x @ weights[0] + weights[1] - y) ** 2)
    return [weight - rate * gradient for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True)]


for shots in (10, 5, 10, 5):
    x = tf.ones([shots, 2])
    fast = adapt(meta, x, x[:, :1], 0.1)
    for _ in range(2):
        fast = adapt(fast, x, x[:, :1], 0.01)
