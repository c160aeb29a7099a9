"""A custom training loop that passes its step counter as a Python int: the train step is traced again at every step.

The remedy: pass `tf.constant(step)`, or count in a `tf.Variable`.
"""

from __future__ import annotations

import sys

import keras
import tensorflow as tf
from pictures import KINDS, SIZE, draw

from tb_retrace_plugin import record, set_step

STEPS = 20
BATCH = 64

model = keras.Sequential(
    [
        keras.Input((SIZE, SIZE, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        keras.layers.Flatten(),
        keras.layers.Dense(KINDS),
    ]
)
optimizer = keras.optimizers.Adam(0.01)
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@tf.function
def train_step(pictures: tf.Tensor, kinds: tf.Tensor, step: int) -> tf.Tensor:
    warm_up = tf.minimum(1.0, (tf.cast(step, tf.float32) + 1.0) / 10.0)
    with tf.GradientTape() as tape:
        loss = loss_of(kinds, model(pictures, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply([warm_up * gradient for gradient in gradients], model.trainable_variables)
    return loss


def main(log_dir: str) -> None:
    pictures, kinds = draw(STEPS * BATCH)
    optimizer.build(model.trainable_variables)
    with record(log_dir):
        for step in range(STEPS):
            set_step(step)
            batch = slice(step * BATCH, (step + 1) * BATCH)
            loss = train_step(tf.constant(pictures[batch]), tf.constant(kinds[batch]), step)  # `step`: the mistake
            traces = train_step.experimental_get_tracing_count()
            if step % 5 == 4:
                print(f"  step {step + 1:3d}  loss {float(loss):.3f}  train_step traced {traces} times", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "logs/python_step_counter")
