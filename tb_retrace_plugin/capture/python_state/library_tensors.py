"""Tensors that an object of a library's class holds, and that a graph captures. Nothing is run.

A library's own code is not gone through for what it reads, but the graph of `model.predict_f(x)` has the very tensors
of `model.data`."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import Item, Name
from tb_retrace_plugin.capture.python_state.found_reads import Found, found_by
from tb_retrace_plugin.capture.python_state.name_values import keys_of
from tb_retrace_plugin.capture.values.containers import unwrapped
from tb_retrace_plugin.capture.values.of_type import is_written_in

_MAX_ATTRIBUTES = 64
_MAX_ITEMS = 16
#: Their objects hold variables, and tensors for themselves.
_NOT_LOOKED_AT = ("keras.", "tensorflow.", "tf_keras.", "numpy.", "builtins")
_of_libraries: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def tensors_of_libraries(
    function: FunctionType, found: Iterable[Found], objects: Mapping[str, Any], concrete_function: Any
) -> list[Found]:
    """`model.data[0]`, of a `model` that `function` reads, as it was `found` to, is passed, or is a method of.

    Of the object itself: that its name has another one by now is told of that."""
    of_libraries = {id(one): (read.name.text, one) for read, one in found if _is_of_a_library(one)}
    of_libraries |= {id(one): (text, one) for text, one in objects.items() if _is_of_a_library(one)}
    if not of_libraries:
        return []
    captured = _captured(concrete_function)
    return [
        found_by(function, one, Name("argument", text, path), value)
        for text, one in of_libraries.values()
        for path, value in (_held(one, captured) if captured else ())
    ]


def without_those_not_captured(found: list[Found], concrete_function: Any) -> list[Found]:
    """Of items among which names look one up, the tensors that the graph captures; None: what it captures is in
    another's graph, and not known."""
    if not any(read.is_one_of for read, _ in found):
        return found
    captured = _captured(concrete_function) if concrete_function is not None else set[int]()
    return [one for one in found if not one.read.is_one_of or id(one.value) in captured]


def _captured(concrete_function: Any) -> set[int]:
    return {id(one) for one in tf_seam.captured_tensors(concrete_function) if tf_seam.is_eager_tensor(one)}


def _held(one: Any, captured: Collection[int]) -> Iterator[tuple[tuple[str | Item, ...], Any]]:
    try:
        attributes = object.__getattribute__(one, "__dict__")
    except AttributeError:  # of a class with `__slots__`
        return
    for name, value in list(itertools.islice(attributes.items(), _MAX_ATTRIBUTES)):
        if type(name) is not str or not name.isidentifier():
            continue
        if id(value) in captured:
            yield (name,), value
            continue
        for key in keys_of(value, _MAX_ITEMS):
            if id(item := unwrapped(value)[key]) in captured:
                yield (name, Item(key)), item


def _is_of_a_library(value: Any) -> bool:
    """Of which no class is the user's, whose methods are gone through for what they read."""
    kind = type(value)
    if is_written_in(kind, _NOT_LOOKED_AT) or not tf_seam.holds_tensors(value):
        return False
    known = _of_libraries.get(kind)
    if known is None:
        methods = (one for base in kind.__mro__ for one in vars(base).values() if type(one) is FunctionType)
        known = _of_libraries[kind] = not any(is_user_file(one.__code__.co_filename) for one in methods)
    return known
