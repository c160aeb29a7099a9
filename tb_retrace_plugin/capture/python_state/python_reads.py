"""Which of Python's own values a function's code reads from outside: globals, closures, attributes. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.code_names import Item, names_of
from tb_retrace_plugin.capture.python_state.callees import Called
from tb_retrace_plugin.capture.python_state.code_walk import KerasCall, Passed, Walk, nothing
from tb_retrace_plugin.capture.python_state.found_reads import Found, Read


def reads_of(
    function: FunctionType, instance: Any = None, text: str = "", arguments: Mapping[str, Any] | None = None,
    *, is_told: Callable[[Any], bool] = nothing, passed: Passed | None = None, trained: list[Any] | None = None,
    of_keras: list[KerasCall] | None = None,
) -> list[Found]:  # fmt: skip
    """What `function` and the user's own functions that it calls read, without what any of them assigns itself.

    `text`: what the instance is called, in place of the name of the first parameter. `arguments`: objects that it
    is passed, by its parameters, or as it has them (`spec['norm']`); what functions that it calls read of those is
    not found. `is_told`: of what is called, and followed, or of which a method is called, whether it is a value
    besides; with it lists, dictionaries and arrays are found that are read whole, and none of what was not come to,
    for what is asked of `passed`, too. `trained`: gets what is asked for its trainable variables; `of_keras`: what
    is called of Keras' own.
    """
    found, stored, _ = _all_reads(function, instance, text, arguments or {}, is_told, passed, trained, of_keras)
    return [one for one in found if one.read.name.last not in stored]


def reads_and_counts(
    function: FunctionType, instance: Any = None, arguments: Mapping[str, Any] | None = None,
    *, is_told: Callable[[Any], bool] = nothing,
) -> tuple[list[Read], list[Read]]:  # fmt: skip
    """As `reads_of`; and of what they assign, what they read besides."""
    found, stored, counted = _all_reads(function, instance, "", arguments or {}, is_told)
    last = [(read, read.name.last) for read, _ in found]
    return [read for read, name in last if name not in stored], [read for read, name in last if name in counted]


def _all_reads(
    function: FunctionType, instance: Any, text: str, arguments: Mapping[str, Any],
    is_told: Callable[[Any], bool] = nothing, passed: Passed | None = None, trained: list[Any] | None = None,
    of_keras: list[KerasCall] | None = None,
) -> tuple[list[Found], set[str | Item], set[str]]:  # fmt: skip
    """What is found; last names of what is stored, and of what is counted."""
    if not names_of(function.__code__).by_text and not arguments:
        return [], set(), set()
    changing: frozenset[str | Item] = frozenset()
    while True:
        walk = Walk(arguments, is_told, passed, trained, changing)
        if of_keras is not None:
            of_keras.clear()
            walk.of_keras = of_keras
        walk.go_through(Called(function, instance, text))
        filled = walk.filled()
        assigned = walk.assigned_of_what_was_relied_on(filled)
        if not assigned:
            return walk.without_what_it_changes(filled), walk.stored, walk.counted
        changing |= assigned
