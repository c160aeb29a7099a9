"""Names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`x`, `y` and `z`, each as code."""
    shown = ["`" + name.replace("`", "'") + "`" for name in dict.fromkeys(names)]
    if len(shown) > 4:
        shown[3:] = [f"{len(shown) - 3} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
