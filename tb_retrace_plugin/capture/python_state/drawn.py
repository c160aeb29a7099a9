"""What a function runs or counts while it is traced, and is another one in each trace: none of it is run here."""

from __future__ import annotations

import datetime
import itertools
import os
import random
import sys
import time
import types
import uuid
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from tb_retrace_plugin.capture.code.always_assigned import always_assigned
from tb_retrace_plugin.capture.code.before_autograph import as_written
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.grown_lists import grown_lists
from tb_retrace_plugin.capture.python_state.code_walk import nothing
from tb_retrace_plugin.capture.python_state.found_reads import Read
from tb_retrace_plugin.capture.python_state.python_reads import reads_and_counts

#: That are told of a function.
_MOST = 8
#: Methods of theirs that draw nothing.
_STATE = frozenset({"get_state", "getstate", "seed", "set_state", "setstate", "spawn"})
_CALLS = frozenset({
    time.time, time.time_ns, time.monotonic, time.monotonic_ns, time.perf_counter, time.perf_counter_ns,
    uuid.uuid1, uuid.uuid4, os.urandom,
})  # fmt: skip
_NOW = frozenset({"now", "today", "utcnow"})
#: The class of the tensors that a trace makes.
_OF_A_GRAPH = "SymbolicTensor"
#: Python's own iterators over something that is there, and of its own functions.
_ITERATORS: frozenset[type] = frozenset({
    types.GeneratorType, enumerate, filter, map, reversed, zip,
    type(iter([])), type(iter(())), type(iter({})), type(iter({}.values())), type(iter({}.items())),
    type(iter(set())), type(iter(range(0))), type(iter("")),
})  # fmt: skip


def _is_told(value: object) -> bool:
    """None is; with it what lies behind tests that were not met is not found."""
    return False


def drawn_by(
    function: Any, instance: Any = None, arguments: Mapping[str, Any] | None = None, *, now: bool = False
) -> list[str]:
    """`np.random.normal()`, an iterator `batches`, a number `self.updates` that it counts up and reads, a list that it
    adds to and reads, a tensor that it goes on from (`self.x = self.x + dx`). `now`: not where Python's values are
    such that it does not come to it (`if self.noisy:`)."""
    if not isinstance(function, FunctionType):
        return []
    function = as_written(function)
    if not is_user_file(function.__code__.co_filename):
        return []
    reads, counts = reads_and_counts(function, instance, arguments, is_told=_is_told if now else nothing)
    found: dict[str, None] = {}
    for read, is_counted in [*((read, False) for read in reads), *((read, True) for read in counts)]:
        try:
            text = _text(read, read.value(), is_counted=is_counted, code=function.__code__)
        except LookupError:  # NumPy's generators have no weak references, by which an argument is read again
            text = _of_an_argument(read, arguments or {})
        if text:
            found[text[:100]] = None
    found |= dict.fromkeys(grown_lists(function.__code__))
    return list(found)[:_MOST]


def _text(read: Read, value: Any, *, is_counted: bool, code: types.CodeType) -> str:
    if is_counted:
        is_told = type(value) in (int, float)
        if type(value).__name__ == _OF_A_GRAPH:  # what this trace has left there, which no call that it serves changes
            is_told = read.name.text in always_assigned(code)
        return read.name.text if is_told else ""
    if type(value) in _ITERATORS or type(value).__module__ == itertools.__name__:
        return read.name.text
    return f"{read.name.text}()" if _draws(read, value) else ""


def _generators() -> tuple[type, ...]:
    """NumPy's too, where the program has loaded them: they are a dozen modules more."""
    loaded: Any = sys.modules.get("numpy.random")
    return (random.Random,) if loaded is None else (random.Random, loaded.Generator, loaded.RandomState)


def _of_an_argument(read: Read, arguments: Mapping[str, Any]) -> str:
    holder = arguments.get(read.name.name) if read.name.base == "argument" else None
    is_method = issubclass(type(holder), _generators()) and len(read.name.path) == 1
    return f"{read.name.text}()" if is_method and read.name.path[0] not in _STATE else ""


def _draws(read: Read, value: Any) -> bool:
    """Whether each call of it gives another value. An object's attribute is looked up without being bound to it."""
    kind = type(value)  # `isinstance` would ask an object of the user's for its `__class__`
    if kind in (BuiltinFunctionType, FunctionType) and value in _CALLS:
        return True
    holder = value.__self__ if kind in (BuiltinFunctionType, MethodType) else read.holder()
    last = read.name.path[-1] if read.name.path else read.name.name
    if issubclass(type(holder), _generators()):
        return callable(value) and last not in _STATE
    return issubclass(type(holder), type) and issubclass(holder, datetime.date) and last in _NOW
