"""What was found in a function's code, remembered for as long as that code lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Generic, TypeAlias, TypeVar

_Found = TypeVar("_Found")
_Names: TypeAlias = tuple[tuple[str, int], ...]


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


class ByCalled:
    """What was found in a function's code for what it, and each that it leads to, calls by which name."""

    __slots__ = ("_found", "_most")

    def __init__(self, most: int) -> None:
        self._found: ByCode[dict[_Names, tuple[tuple[weakref.ref[CodeType], ...], list[str]]]] = ByCode()
        self._most = most

    def of(self, code: CodeType, called: Sequence[tuple[str, CodeType]], read: Callable[[], list[str]]) -> list[str]:
        """Nothing of more kinds of objects than are remembered."""
        known = self._found.get(code)
        known = self._found.put(code, {}) if known is None else known
        if not called and (alone := known.get(())) is not None:  # nearly always
            return alone[1]
        refs, found = known.get(key := tuple([(name, id(each)) for name, each in called]), ((), None))
        if found is None or any(one() is not each for one, (_, each) in zip(refs, called, strict=True)):
            if len(known) >= self._most:
                return []
            found = read()
            known[key] = tuple([weakref.ref(each) for _, each in called]), found
        return found
