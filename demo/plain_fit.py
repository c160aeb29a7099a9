"""A plain `model.fit` with `RetraceCallback`: what a healthy program looks like, where every trace is needed."""

from __future__ import annotations

import sys

import keras
from pictures import KINDS, SIZE, draw

from tb_retrace_plugin import RetraceCallback


def main(log_dir: str) -> None:
    pictures, kinds = draw(1200)
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(KINDS),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    model.fit(
        pictures,
        kinds,
        batch_size=64,
        epochs=4,
        verbose=2,
        callbacks=[RetraceCallback(log_dir)],
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "logs/plain_fit")
