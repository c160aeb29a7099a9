"""What functions that code calls assign. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType

from tb_retrace_plugin.capture.code.code_names import Item, names_of
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of
from tb_retrace_plugin.capture.python_state.name_values import value_or_whole

#: That are gone through.
_MAX_FUNCTIONS = 50


def assigned_by(functions: Iterable[Called], *, counted_on: bool) -> set[str | Item]:
    """Last names of what these assign, and what they call, as far as it can be told. `counted_on`: and of lists that
    they fill or empty."""
    stored: set[str | Item] = set()
    seen: set[CodeType] = set()
    todo = list(functions)
    while todo and len(seen) < _MAX_FUNCTIONS:
        reader = todo.pop()
        code = reader.function.__code__
        if code in seen:
            continue
        seen.add(code)
        names = names_of(code)
        stored |= names.stored
        if counted_on:
            stored |= read_whole(code).filled
        for _, name in names.by_text:
            try:
                called = None
                if name.is_called:
                    called = callee_of(value_or_whole(name, reader.function, reader.instance)[1], name, reader)
            except LookupError:
                continue
            if called is not None:
                todo.append(called)
    return stored
