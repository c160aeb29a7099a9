"""What was found in a function's code, remembered for as long as that code lives."""

from __future__ import annotations

import weakref
from types import CodeType
from typing import Generic, TypeVar

_Found = TypeVar("_Found")


class ByCode(Generic[_Found]):
    """By which code it is: a dictionary with codes for keys hashes all that they hold each time it is asked."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[int, tuple[weakref.ref[CodeType], _Found]] = {}

    def get(self, code: CodeType) -> _Found | None:
        known = self._found.get(id(code))
        return known[1] if known is not None and known[0]() is code else None

    def put(self, code: CodeType, found: _Found) -> _Found:
        """Gives it back."""
        number, all_found = id(code), self._found

        def forget(gone: weakref.ref[CodeType]) -> None:
            if (known := all_found.get(number)) is not None and known[0] is gone:  # else another code has its place
                del all_found[number]

        all_found[number] = weakref.ref(code, forget), found
        return found
