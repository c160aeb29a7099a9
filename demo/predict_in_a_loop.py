"""`model.predict` on one piece after the other: every call makes new input-pipeline functions, and traces each of them.

Nothing here knows of Retrace: it is recorded with `tb-retrace run`. The remedy: one `predict` over all, or `model(x)`.
"""

from __future__ import annotations

import keras
from pictures import KINDS, SIZE, draw


def main() -> None:
    pictures, kinds = draw(600)
    model = keras.Sequential(
        [
            keras.Input((SIZE, SIZE, 1)),
            keras.layers.Flatten(),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(KINDS),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(pictures, kinds, batch_size=50, epochs=2, verbose=0)
    right = 0
    for piece in range(8):
        start = piece * 40
        end = start + 40 - piece % 3
        guessed = model.predict(pictures[start:end], verbose=0).argmax(axis=1)
        right += int((guessed == kinds[start:end]).sum())
        if piece % 4 == 3:
            print(f"  piece {piece + 1:2d}  {right} of {end} right", flush=True)


if __name__ == "__main__":
    main()
