"""Small pictures to learn from, drawn here so that nothing is downloaded: bars, discs, rings and crosses in noise."""

from __future__ import annotations

import numpy as np

SIZE = 16
KINDS = 4


def draw(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """`count` pictures, float32 (count, 16, 16, 1), and their kinds, int64 (count,)."""
    random = np.random.default_rng(seed)
    kinds = random.integers(0, KINDS, count)
    centres = random.uniform(6, 10, (count, 2, 1, 1))
    rows, columns = np.mgrid[0:SIZE, 0:SIZE]
    down, right = np.abs(rows - centres[:, 0]), np.abs(columns - centres[:, 1])
    distance = np.hypot(down, right)
    shapes = [
        (down < 2) & (right < 6),
        distance < 5,
        (distance < 5) & (distance > 3),
        ((down < 1.5) | (right < 1.5)) & (distance < 6),
    ]
    clean = np.select([kinds[:, None, None] == kind for kind in range(KINDS)], shapes)
    noisy = clean + random.normal(0, 0.3, (count, SIZE, SIZE))
    return noisy[..., None].astype("float32"), kinds
