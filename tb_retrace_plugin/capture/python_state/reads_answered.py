"""What a function's code is answered that asks something of a name, where it is traced. Nothing is run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from tb_retrace_plugin.capture.code.asked_of_names import Ask, asked_of_names
from tb_retrace_plugin.capture.code.code_names import Item, Name
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.python_state.answers import answer
from tb_retrace_plugin.capture.python_state.callees import Called
from tb_retrace_plugin.capture.python_state.name_values import value_of
from tb_retrace_plugin.capture.python_state.reads_of_items import Reached


def reads_answered(
    code: CodeType, reached: Sequence[Reached], reads_it: Called
) -> Iterator[tuple[Name, float | bool, Called]]:
    """`reached`: names that the code loads, and comes to."""
    asked = asked_of_names(code)
    if not asked:
        return
    by_text = {one.loaded.text: one for one in reached if len(one.name.path) == len(one.loaded.path)}
    first = code.co_varnames[0] if code.co_argcount else ""
    if first and reads_it.instance is not None:  # `hasattr(self, "rate")`: `self` itself is no name that is told of
        own = Name("self", first, ())
        by_text[first] = Reached(
            first, own, own._replace(name=reads_it.text or first), reads_it.instance, reads_it, None
        )
    for one in reached if not asked.keys() <= by_text.keys() else ():
        for holder in _holders_of(one):
            by_text.setdefault(holder.written, holder)
    whole = read_whole(code)
    for written in asked.keys() & by_text.keys():
        one = by_text[written]
        for ask in asked[written]:
            if ask.asks == "bool" and written in whole.read | whole.counted:
                continue  # told by what it holds
            with contextlib.suppress(LookupError):
                is_given = one.called is None and type(_lying(one)) is property
                name = _name(one.name._replace(is_called=is_given), ask)
                yield name, answer(ask.asks, one.value, name.last), one.reader


def _holders_of(one: Reached) -> Iterator[Reached]:
    """`cfg` of `cfg["late"]`, where the code loads that alone, whether or not it is there."""
    path = one.loaded.path
    if path[: len(one.name.path)] != one.name.path:  # of a part of what is passed
        return
    for place in (at for at, part in enumerate(path[: len(one.name.path) + 1]) if isinstance(part, Item)):
        name = one.name._replace(path=path[:place], is_called=False, or_default=False)
        text = one.loaded._replace(path=path[:place], is_called=False, or_default=False).text
        with contextlib.suppress(LookupError):
            value = value_of(name, one.reader.function, one.reader.instance)
            yield Reached(text, name, name, value, one.reader, None)


def _lying(one: Reached) -> Any:
    """A property itself, and not what it gives. Raises LookupError."""
    return value_of(one.name._replace(is_called=False), one.reader.function, one.reader.instance)


def _name(of: Name, ask: Ask) -> Name:
    if ask.asks == "in":
        return of._replace(path=(*of.path, Item(ask.of)), asks="in")
    if ask.asks == "hasattr":
        return of._replace(path=(*of.path, str(ask.of)), asks="hasattr")
    return of._replace(asks=ask.asks)
