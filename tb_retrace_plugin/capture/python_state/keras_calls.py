"""What layers and optimizers of Keras' own read of themselves where a user's own code calls them.

A model has hundreds, which a function that is traced again calls again: they are gone through once, and again when a
layer or one of the values is another one.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import Name
from tb_retrace_plugin.capture.python_state.code_walk import KerasCall
from tb_retrace_plugin.capture.python_state.contents import FunctionCode, code_of_function
from tb_retrace_plugin.capture.python_state.found_reads import Found
from tb_retrace_plugin.capture.python_state.keras_steps import (
    Runs,
    applies,
    layers_called,
    layers_of,
    optimizer_called,
    step_called,
    training_told,
)
from tb_retrace_plugin.capture.values.plain_values import is_plain

#: Calls that are known, of all functions.
_MOST = 256


class _Known(NamedTuple):
    """`found`: holds plain values, and nothing else of the program's."""

    holder: weakref.ReferenceType[Any]
    layers: list[int]
    found: list[Found]


_known: dict[tuple[int, Name, bool | None], _Known] = {}


def reads_of_call(call: KerasCall, read: Callable[[Runs], list[Found]]) -> list[Found]:
    """`read`: what one of those that run in it reads."""
    training = training_told(call)
    key = id(call.holder), call.name, training
    layers = list(map(id, layers_of(call.holder)))
    known = _known.get(key)
    is_the_same = known is not None and known.holder() is call.holder and known.layers == layers
    if known is not None and is_the_same and all(map(_is_as_it_was, known.found)):
        return known.found
    runs = [*optimizer_called(call), *step_called(call), *layers_called(call, training)]
    found = [one for run in runs for one in read(run)]
    if all(run.is_keras or run.function is applies for run in runs) and all(_can_be_kept(one.value) for one in found):
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = _Known(weakref.ref(call.holder), layers, found)
    return found


def _can_be_kept(value: Any) -> bool:
    return is_plain(value) or isinstance(value, FunctionCode)


def _is_as_it_was(found: Found) -> bool:
    try:
        now = found.read.value()
    except LookupError:
        return False
    if isinstance(found.value, FunctionCode):
        now = now if isinstance(now, FunctionCode) else code_of_function(now)
    return type(now) is type(found.value) and bool(now == found.value)
