"""Names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_SHAPES = 3


def listed(names: Sequence[str]) -> str:
    """`x`, `y` and `z`, each as code."""
    shown = ["`" + name.replace("`", "'") + "`" for name in dict.fromkeys(names)]
    if len(shown) > 4:
        shown[3:] = [f"{len(shown) - 3} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def listed_shapes(texts: Sequence[str]) -> str:
    """``(3,) and (5,) of `x`, and (4,) and (6,) of `y`,`` before what is said of them."""
    return ", and ".join(texts[:_MOST_SHAPES]) + ("," if len(texts) > 1 else "")
