"""Objects and functions that are about to be freed, with what they still hold: looked at once more, and not kept alive.

Python calls a weak reference's callback when the object can be asked for no longer, and before its attributes go. These
lie in a dictionary, and what a function closes over in cells, which Python's collector knows: they are found by their
addresses, which nothing else can have as long as they are there. It does not know a dictionary of nothing but plain
values: such a one is held, which keeps no object alive as long as it is one.
"""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: The collector's generations are gone through so often in any case, and then in so much of the time (one percent).
_MOST = 4
_SHARE = 100
_GENERATIONS = (0, 1, 2)
#: That are followed at one time, and of which a dictionary is held: these are gone through in each garbage collection.
_MOST_FOLLOWED = 1000
_MOST_HELD = 64

#: Is given the weak reference that is empty now, and what stands in for what it was of.
Look = Callable[["weakref.ReferenceType[Any]", Any], None]


class _Parts(NamedTuple):
    """Of an object: its class, and the address of its dictionary. Of a function: its code, those of its cells, and the
    name of its module. `known_by`: the weak reference that others have of it."""

    known_by: weakref.ReferenceType[Any]
    made_of: weakref.ReferenceType[Any]
    addresses: tuple[int, ...]
    is_function: bool
    module: str = ""


class Freed:
    """Not thread-safe; `look` is called wherever the last reference to an object goes."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._followed: dict[int, weakref.ReferenceType[Any]] = {}
        self._plain: dict[int, dict[str, Any]] = {}
        self._searched = self._spent_ns = 0
        self._began_ns = time.monotonic_ns()
        self.is_collecting = False

    def follow(self, known_by: weakref.ReferenceType[Any]) -> None:
        """What there is a weak reference of; nothing of what cannot be found again.

        What is followed already gets a new weak reference: Python calls the latest one's callback first, and TensorFlow
        has one of an object for each tf.function that is a method of it, by which that and its graphs go."""
        one = known_by()
        if one is None or (id(one) not in self._followed and len(self._followed) >= _MOST_FOLLOWED):
            return
        parts = _parts_of(one, known_by)
        if parts is not None:
            key = id(one)
            held = None if parts.is_function else object.__getattribute__(one, "__dict__")
            if held is not None and len(self._plain) < _MOST_HELD and not gc.is_tracked(held):
                self.notice_collections()
                self._plain[key] = held
            self._followed[key] = weakref.ref(one, lambda _: self._is_freed(key, parts))

    def notice_collections(self) -> None:
        """`is_collecting`: what goes now was found by Python's collector."""
        if self._review not in gc.callbacks:
            gc.callbacks.append(self._review)

    def _review(self, phase: str, info: Any) -> None:
        """Dictionaries that may lead to their own objects by now are held no longer, before Python collects those."""
        self.is_collecting = phase == "start"
        for key, held in list(self._plain.items()) if phase == "start" else ():
            if gc.is_tracked(held):
                self._plain.pop(key, None)

    def stop(self) -> None:
        self._followed.clear()
        self._plain.clear()
        if self._review in gc.callbacks:
            gc.callbacks.remove(self._review)

    def _is_freed(self, key: int, parts: _Parts) -> None:
        self._followed.pop(key, None)
        began = time.monotonic_ns()
        plain = self._plain.pop(key, None)
        if plain is None and self._searched >= _MOST and self._spent_ns * _SHARE > began - self._began_ns:
            return
        try:
            stand_in = _stand_in(parts, plain)
            if stand_in is not None:
                self._look(parts.known_by, stand_in)
                if not parts.is_function:
                    object.__setattr__(stand_in, "__dict__", {})
        except Exception:  # a value that is not looked at: nothing may be raised where an object goes
            pass
        finally:
            self._searched += plain is None
            self._spent_ns += time.monotonic_ns() - began


def _parts_of(one: Any, known_by: weakref.ReferenceType[Any]) -> _Parts | None:
    if type(one) is FunctionType:
        cells = one.__closure__
        if not cells:
            return None
        module = one.__globals__.get("__name__")
        return _Parts(known_by, weakref.ref(one.__code__), tuple(map(id, cells)), True, str(module))
    kind = type(one)
    if is_a(one, type) or in_class(kind, "__del__") is not MISSING:
        return None
    try:
        held = object.__getattribute__(one, "__dict__")
    except AttributeError:
        return None
    if type(held) is not dict:
        return None
    return _Parts(known_by, weakref.ref(kind), (id(held),), False)


def _stand_in(parts: _Parts, plain: dict[str, Any] | None) -> Any:
    made_of = parts.made_of()
    found: dict[int, Any] = _at(parts.addresses) if plain is None else {parts.addresses[0]: plain}
    if made_of is None or len(found) < len(set(parts.addresses)):
        return None
    if parts.is_function:
        names = getattr(sys.modules.get(parts.module), "__dict__", {})
        return FunctionType(made_of, names, made_of.co_name, None, tuple([found[one] for one in parts.addresses]))
    stand_in = object.__new__(made_of)
    object.__setattr__(stand_in, "__dict__", found[parts.addresses[0]])
    return stand_in


def _at(addresses: Iterable[int]) -> dict[int, Any]:
    wanted = set(addresses)
    found: dict[int, Any] = {}
    for generation in _GENERATIONS:
        found |= {id(one): one for one in gc.get_objects(generation=generation) if id(one) in wanted}
        if len(found) == len(wanted):
            break
    return found
