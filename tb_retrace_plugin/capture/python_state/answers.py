"""What code is answered that asks something of a value by Python's own means: how long it is, whether it holds
anything, which number is the largest, or whether it has an item or an attribute. Nothing of the user's is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.code.code_names import Asks, Item, Name
from tb_retrace_plugin.capture.python_state.name_values import DICTIONARIES, length_of
from tb_retrace_plugin.capture.values.containers import unwrapped
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.static_attribute import MISSING, has_attribute

_LOOKED_THROUGH = (list, tuple, set, frozenset)
_OF_ALL: Mapping[str, Callable[[Any], float]] = {"all": all, "any": any, "max": max, "min": min}
_OF_TRUTH = (bool, int, float, str, type(None))
#: Of a list, that are compared with what is asked for.
_MOST = 1000


def holder_name(name: Name) -> Name:
    """What it is asked of."""
    return name._replace(path=name.path[:-1], asks="") if name.asks in ("in", "hasattr") else name._replace(asks="")


def answer(asks: Asks, value: Any, of: Any = None) -> float | bool:
    """`of`: the last part of the name, where that is what is asked for. Raises LookupError where it is not known."""
    found: float | bool | None
    if asks == "in":
        found = _has_item(value, of.key if isinstance(of, Item) else MISSING)
    elif asks == "hasattr":
        found = has_attribute(value, of)
    elif asks in _OF_ALL:
        found = _of_all(value, _OF_ALL[asks], (int, float) if asks in ("max", "min") else _OF_TRUTH)
    else:
        found = length_of(value)
        found = bool(found) if asks == "bool" and found is not None else found
    if found is None:
        raise LookupError
    return found


def _of_all(value: Any, of: Callable[[Any], float], kinds: Sequence[type]) -> float | None:
    """Of Python's own alone, and of an array of numbers in one dimension."""
    value = unwrapped(value)
    if type(value) is np.ndarray:
        return of(value.tolist()) if value.ndim == 1 and value.dtype.kind in "fiu" and 0 < value.size <= _MOST else None
    if type(value) not in (*_LOOKED_THROUGH, *DICTIONARIES) or len(value) > _MOST:
        return None
    items = tuple(value)
    return of(items) if (items or kinds is _OF_TRUTH) and all(type(one) in kinds for one in items) else None


def _has_item(value: Any, key: Any) -> bool | None:
    value = unwrapped(value)
    if type(key) not in (str, int):
        return None
    if type(value) in DICTIONARIES:
        return key in value
    if type(value) in _LOOKED_THROUGH and len(value) <= _MOST and all(map(is_plain, tuple(value))):
        return key in value
    return None
