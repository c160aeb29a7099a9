"""What code is answered that asks something of a value by Python's own means: how long it is, whether it holds
anything, or has an item or an attribute. Nothing of the user's is run."""

from __future__ import annotations

from typing import Any

from tb_retrace_plugin.capture.code.code_names import Asks, Item, Name
from tb_retrace_plugin.capture.python_state.name_values import DICTIONARIES, length_of, unwrapped
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.static_attribute import MISSING, has_attribute

_LOOKED_THROUGH = (list, tuple, set, frozenset)
#: Of a list, that are compared with what is asked for.
_MOST = 1000


def holder_name(name: Name) -> Name:
    """What it is asked of."""
    return name._replace(path=name.path[:-1], asks="") if name.asks in ("in", "hasattr") else name._replace(asks="")


def answer(asks: Asks, value: Any, of: Any = None) -> int | bool:
    """`of`: the last part of the name, where that is what is asked for. Raises LookupError where it is not known."""
    found: int | bool | None
    if asks == "in":
        found = _has_item(value, of.key if isinstance(of, Item) else MISSING)
    elif asks == "hasattr":
        found = has_attribute(value, of)
    else:
        found = length_of(value)
        found = bool(found) if asks == "bool" and found is not None else found
    if found is None:
        raise LookupError
    return found


def _has_item(value: Any, key: Any) -> bool | None:
    value = unwrapped(value)
    if type(key) not in (str, int):
        return None
    if type(value) in DICTIONARIES:
        return key in value
    if type(value) in _LOOKED_THROUGH and len(value) <= _MOST and all(map(is_plain, tuple(value))):
        return key in value
    return None
