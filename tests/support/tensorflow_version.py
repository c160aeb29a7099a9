"""Which TensorFlow the tests run with: what either would show alike is tried at length with the newest alone."""

from __future__ import annotations

from importlib import metadata

IS_OLDEST = metadata.version(metadata.packages_distributions()["tensorflow"][0]).startswith("2.16.")


def examples(count: int) -> int:
    """How many random cases a property is tried with: with the oldest, the first fifth of them."""
    return count // 5 if IS_OLDEST else count
