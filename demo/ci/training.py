"""A line fitted to points that come in batches of different lengths, with a learning rate that falls."""

from __future__ import annotations

import tensorflow as tf

slope = tf.Variable(0.0)
offset = tf.Variable(0.0)


@tf.function(
    input_signature=[
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([None], tf.float32),
        tf.TensorSpec([], tf.int32),
    ]
)
def train_step(x: tf.Tensor, y: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((slope * x + offset - y) ** 2)
    rate = 0.2 / (1.0 + 0.01 * tf.cast(step, tf.float32))
    for variable, gradient in zip((slope, offset), tape.gradient(loss, (slope, offset)), strict=True):
        variable.assign_sub(rate * gradient)
    return loss


def train(steps: int) -> list[float]:
    """The loss of each step, on the points of y = 2 x + 1."""
    losses = []
    for step in range(steps):
        x = tf.linspace(-1.0, 1.0, 8 + step % 4)
        losses.append(float(train_step(x, 2.0 * x + 1.0, step)))
    return losses


if __name__ == "__main__":
    print(f"loss after 40 steps: {train(40)[-1]:.6f}")

# mypy: disallow-untyped-decorators=False
