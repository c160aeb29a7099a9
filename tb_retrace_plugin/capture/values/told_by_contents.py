"""Objects that cannot be referred to weakly are told apart by what they hold: none of a user's code runs for it."""

from __future__ import annotations

from itertools import islice
from types import MemberDescriptorType, SimpleNamespace
from typing import Any, cast

import numpy as np

from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

# of any class, whatever its metaclass makes of these names
_weak_reference_at = cast(Any, type.__dict__["__weakrefoffset__"]).__get__
_bases_of = cast(Any, type.__dict__["__mro__"]).__get__
_names_in = cast(Any, type.__dict__["__dict__"]).__get__
#: Whose `repr` tells what they are, and is short.
_WRITTEN_OUT = (range, slice, type(...), np.ufunc)
#: Of more than are gone through, those that are looked at all the same: another one may lie where one was.
_FEW = 8


def parts_of(value: Any, most: int) -> list[Any] | None:
    """What it is known by beside its class: of more than `most` items, and of what hides what it holds
    (`operator.itemgetter`, `np.mean`), where it lies, and a few of the items; None for what can be referred to weakly,
    and for an iterator, of which another one may lie where one was."""
    kind = type(value)
    if _weak_reference_at(kind):
        return None
    if kind in _WRITTEN_OUT or issubclass(kind, np.dtype):
        return [repr(value)]
    if issubclass(kind, (tuple, list)):  # with names, too
        own = tuple if issubclass(kind, tuple) else list
        return _items(value, own.__iter__(value), own.__len__(value), most)
    if issubclass(kind, dict):  # a defaultdict, too
        return _items(value, _flat(dict.items(value)), 2 * dict.__len__(value), 2 * most)
    held = vars(value) if kind is SimpleNamespace else _slots_of(value)
    if held is None:
        return [id(value)] if in_class(kind, "__next__") is MISSING else None
    return _items(value, _flat(held.items()), 2 * len(held), 2 * most)


def _items(value: Any, parts: Any, length: int, most: int) -> list[Any]:
    if length <= most:
        return list(parts)
    return [id(value), length, *filter(is_plain, islice(parts, _FEW))]


def _flat(pairs: Any) -> Any:
    return (part for pair in pairs for part in pair)


def _slots_of(value: Any) -> dict[str, Any] | None:
    """Of a class that has no more than these."""
    found: dict[str, Any] = {}
    for base in _bases_of(type(value))[:-1]:
        names = _names_in(base)
        if "__slots__" not in names or "__dict__" in names:
            return None
        for name, slot in names.items():
            if type(slot) is MemberDescriptorType:
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # not assigned yet
                    continue
    return found
