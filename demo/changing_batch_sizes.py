"""`train_on_batch` and `predict_on_batch` with changing batch sizes: one retrace each, at the second size.

Keras asks TensorFlow to relax shapes: that retrace has an unknown batch size and serves all later sizes.
"""

from __future__ import annotations

import sys

import keras
from pictures import KINDS, SIZE, draw

from tb_retrace_plugin import record, set_step


def build_model() -> keras.Model:
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(KINDS),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def main(log_dir: str) -> None:
    pictures, kinds = draw(2000)
    with record(log_dir, verbose=1):
        model = build_model()
        start = 0
        for step, size in enumerate([32, 32, 48, 24, 64, 32, 20, 40] * 5):
            set_step(step)
            batch = slice(start, start + size)
            loss, accuracy = model.train_on_batch(pictures[batch], kinds[batch])
            if step % 10 == 9:
                print(f"  step {step + 1:3d}  loss {float(loss):.3f}  accuracy {float(accuracy):.2f}", flush=True)
            start = (start + size) % 1900
        for size in (100, 37, 64):
            model.predict_on_batch(pictures[:size])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "logs/changing_batch_sizes")
