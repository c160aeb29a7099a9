"""Of which class a value of the program's is, as it was made: `isinstance` asks it for a `__class__` of its own."""

from __future__ import annotations

from types import UnionType
from typing import Any, cast

#: Of any class, whatever its metaclass makes of that; also of those written in C.
module_of = cast(Any, type.__dict__["__module__"]).__get__


def is_a(value: Any, kinds: type | UnionType | tuple[type, ...]) -> bool:
    """Nothing of the program's is run: a lazy proxy, which has another class for who asks, stays as it is."""
    return issubclass(type(value), kinds)


def is_written_in(kind: type, packages: str | tuple[str, ...]) -> bool:
    """Whether its module's name begins so: a class may have something else than a text there."""
    module = module_of(kind)
    return type(module) is str and module.startswith(packages)
