"""A `tf.function` defined inside the loop over folds: the same code, a new function each time, traced each time.

The remedy: define it once, before the loop.
"""

from __future__ import annotations

import sys

import keras
import tensorflow as tf
from pictures import KINDS, SIZE, draw

from tb_retrace_plugin import record, set_step

FOLDS = 5


def main(log_dir: str) -> None:
    pictures, kinds = draw(500)
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(KINDS),
        ]
    )
    optimizer = keras.optimizers.Adam(0.02)
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    with record(log_dir, verbose=1):
        for fold in range(FOLDS):
            set_step(fold)

            @tf.function  # the mistake: this line runs once per fold
            def train_fold(pictures: tf.Tensor, kinds: tf.Tensor) -> tf.Tensor:
                with tf.GradientTape() as tape:
                    loss = loss_of(kinds, model(pictures, training=True))
                optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
                return loss

            for _ in range(10):
                loss = train_fold(tf.constant(pictures[fold::FOLDS]), tf.constant(kinds[fold::FOLDS]))
            print(f"  fold {fold + 1}  loss {float(loss):.3f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "logs/function_in_a_loop")
