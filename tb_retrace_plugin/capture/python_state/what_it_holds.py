"""What an object of a class written in Python holds, where that is plain values: two that hold the same do the same.
Nothing of the program's is run, and none of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from types import GetSetDescriptorType
from typing import Any

from tb_retrace_plugin.capture.python_state.contents import member_of
from tb_retrace_plugin.capture.values.identity import SameObjects, text_identity
from tb_retrace_plugin.capture.values.plain_values import is_plain, plain_identity

#: Parts in all; more are no settings.
_MAX_PARTS = 64
_MAX_DEPTH = 3


class _Bare:
    pass


#: Of an object that has its attributes and nothing else: a list, or a tensor, has more.
_SIZE = _Bare.__basicsize__


class Holdings:
    """Numbers that are equal for what holds the same. Not thread-safe."""

    def __init__(self) -> None:
        self._classes = SameObjects()
        self._left = 0

    def of(self, value: Any) -> int:
        """0: not known, as of what holds tensors or functions."""
        self._left = _MAX_PARTS
        return text_identity(text.encode()) if (text := self._object(value, 0)) else 0

    def _object(self, value: Any, depth: int) -> str:
        kind = type(value)
        held = _attributes(value)
        if held is None or len(held) > self._left:
            return ""
        names = sorted(held)
        parts = self._parts([held[name] for name in names], depth + 1)
        return parts and f"{self._classes.number(kind)}{names}{parts}"

    def _parts(self, values: Sequence[Any], depth: int) -> str:
        """ "" from the first that is not known."""
        found = []
        for value in values:
            self._left -= 1
            part = self._part(value, depth) if self._left >= 0 else ""
            if not part:
                return ""
            found.append(part)
        return str(found)

    def _part(self, value: Any, depth: int) -> str:
        kind = type(value)
        if is_plain(value):
            return str(plain_identity(value))
        if (member := member_of(value)) is not None:
            return f"{self._classes.number(kind)}.{member.text}"
        if depth > _MAX_DEPTH:
            return ""
        if kind not in (list, tuple, dict):
            return self._object(value, depth)
        if len(value) > self._left:
            return ""
        items = [each for pair in value.copy().items() for each in pair] if kind is dict else [*value]
        parts = self._parts(items, depth + 1)
        return parts and f"{kind.__name__}{parts}"


def _attributes(value: Any) -> dict[str, Any] | None:
    """None of what may hold something else besides: in slots, or as a list, a function or an extension's does."""
    has_names = False
    for base in type.__dict__["__mro__"].__get__(type(value)):
        if base is object:
            continue
        names = type.__dict__["__dict__"].__get__(base)
        if type.__dict__["__basicsize__"].__get__(base) > _SIZE or names.get("__slots__"):
            return None
        if "__dict__" in names:
            if type(names["__dict__"]) is not GetSetDescriptorType:  # a user's property, say
                return None
            has_names = True
    held = object.__getattribute__(value, "__dict__") if has_names else None
    return dict(held) if type(held) is dict else None
