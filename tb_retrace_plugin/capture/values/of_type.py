"""Of which class a value of the program's is, as it was made: `isinstance` asks it for a `__class__` of its own."""

from __future__ import annotations

from types import UnionType
from typing import Any


def is_a(value: Any, kinds: type | UnionType | tuple[type, ...]) -> bool:
    """Nothing of the program's is run: a lazy proxy, which has another class for who asks, stays as it is."""
    return issubclass(type(value), kinds)
