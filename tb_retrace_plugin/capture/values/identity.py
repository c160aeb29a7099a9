"""Small numbers for things that TensorFlow compares by identity, without keeping the things alive."""

from __future__ import annotations

import functools
import itertools
import weakref
from hashlib import blake2b
from typing import Any


def value_identity(value: Any) -> int:
    """Equal for values that TensorFlow's `Literal` finds equal (`1 == 1.0 == True`), distinct else. Never 0."""
    if isinstance(value, (bool, int)):
        key = f"n{int(value)}"
    elif isinstance(value, float):
        key = f"n{int(value)}" if value.is_integer() else f"f{value.hex()}"
    elif isinstance(value, complex):
        if value.imag == 0:
            return value_identity(value.real)
        key = f"c{value.real.hex()},{value.imag.hex()}"
    elif isinstance(value, str):
        key = "s" + value
    elif isinstance(value, bytes):
        return text_identity(b"b" + value)
    elif value is None:
        key = "None"
    elif isinstance(value, tuple):  # -1 and -2 have one hash
        key = f"t{','.join([str(value_identity(item)) for item in value])}"
    else:  # hashable and not weakly referable: rare; equal values have equal hashes, and mostly only they
        key = f"o{type(value).__module__}.{type(value).__qualname__}:{hash(value)}"
    return text_identity(key.encode("utf-8", "surrogatepass"))


def text_identity(text: bytes) -> int:
    """A 64-bit number for a text. Never 0."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") or 1


class EqualObjects:
    """Numbers for weak references, equal exactly where TensorFlow's `Weakref` trace types are: `==` while alive.

    Of one function's code: what is equal and alive elsewhere is in no cache of its own. `objects`: numbers of all, so
    that no two have one, and the same object has one in each function.
    """

    def __init__(self, objects: SameObjects) -> None:
        self._numbers: dict[Any, int] = {}
        self._objects = objects

    def number(self, reference: Any) -> int:
        """The number of the object behind a `weakref.ref`; a new one each time if it is dead."""
        target = reference()
        if target is None:
            return self._objects.new()
        # our own reference: its callback forgets the number when the object dies
        try:
            own = weakref.ref(target, self._forget)
            known = self._numbers.get(own)
            if known is None:
                known = self._numbers[own] = self._objects.number(target)
        except Exception:  # a hostile __eq__ or __hash__: TensorFlow could not have matched it either
            return self._objects.new()
        return known

    def _forget(self, reference: Any) -> None:
        try:
            self._numbers.pop(reference, None)
        except Exception:
            self._numbers = {ref: n for ref, n in self._numbers.items() if ref() is not None}


class SameObjects:
    """Numbers for objects by `is`, for objects that are not hashable (tensors) too."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[Any, int]] = {}
        self._next = itertools.count(1)

    def new(self) -> int:
        """A number that is no object's."""
        return next(self._next)

    def is_alive(self, number: int) -> bool:
        """Whether the object of that number still exists."""
        return any(known == number for _, known in self._numbers.values())

    def number(self, target: Any) -> int:
        known = self._numbers.get(id(target))
        if known is not None and known[0]() is target:
            return known[1]
        number = next(self._next)
        key = id(target)
        try:
            reference = weakref.ref(target, functools.partial(self._forget, key, number))
        except TypeError:
            return number
        self._numbers[key] = (reference, number)
        return number

    def _forget(self, key: int, number: int, _: Any) -> None:
        known = self._numbers.get(key)
        if known is not None and known[1] == number:
            del self._numbers[key]
