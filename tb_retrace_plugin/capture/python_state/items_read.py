"""Of a dictionary that a function closes over: what it reads of it, where that is all that it does with it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.code_names import Item, Name, names_with_inner_functions
from tb_retrace_plugin.capture.python_state.name_values import value_of
from tb_retrace_plugin.capture.values.plain_values import is_plain

_names: ByCode[tuple[Name, ...]] = ByCode()


def items_read(function: FunctionType, name: str) -> list[tuple[str, Any]]:
    """Plain values, by keys that are written out. [] if anything else is done with the dictionary."""
    names = _names.get(function.__code__)
    if names is None:
        names = _names.put(function.__code__, names_with_inner_functions(function.__code__))
    found = []
    for one in names:
        if (one.base, one.name) != ("closure", name):
            continue
        try:
            value = value_of(one, function, None)
        except LookupError:
            return []
        if len(one.path) != 1 or not isinstance(one.path[0], Item) or not is_plain(value):
            return []
        found.append((one.text, value))
    return found
