"""What an object of a class written in Python, or a `functools.partial`, holds, where that is plain values, a module's
functions and Keras models of the same layers: two that hold the same do the same. Nothing of the program's is run, only
plain values are kept."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from types import FunctionType, GetSetDescriptorType
from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.python_state.contents import member_of
from tb_retrace_plugin.capture.python_state.functional_models import made_of
from tb_retrace_plugin.capture.values.identity import SameObjects
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain

#: In all; more are no settings.
_MAX_PARTS = 64
_MAX_TEXT = 1000
#: Their objects hold more than plain values, but for shapes.
_LIBRARIES = ("keras", "tensorflow", "tf_keras")
_MAX_DEPTH = 3


class _Bare:
    pass


#: Of an object that has its attributes and nothing else: a list, or a tensor, has more.
_SIZE = _Bare.__basicsize__


class OfLayers(tuple[Any, ...]):
    """What holds models: where it is another one, it is not known whether these are."""


class Holdings:
    """Not thread-safe."""

    def __init__(self) -> None:
        self._classes = SameObjects()
        self._left = 0
        self._has_models = False

    def of(self, value: Any) -> tuple[Any, ...] | None:
        """Equal for what holds the same; None: not known, as of what holds tensors or functions made anew."""
        self._left, self._has_models = _MAX_PARTS, False
        held = self._object(value, 0)
        return OfLayers(held) if held is not None and self._has_models else held

    def _object(self, value: Any, depth: int) -> tuple[Any, ...] | None:
        kind = type(value)
        if kind is tf.TensorShape:
            return self._classes.number(kind), None if value.rank is None else tuple(value.as_list())
        if kind is functools.partial:
            parts = self._parts((value.func, value.args, value.keywords), depth + 1)
            return None if parts is None else (kind.__name__, *parts)
        if is_written_in(kind, _LIBRARIES):
            layers = made_of(value, self._classes.number)
            self._has_models |= layers is not None
            return layers
        held = _attributes(value)
        if held is None or len(held) > self._left:
            return None
        parts = self._parts(held.values(), depth + 1)
        return None if parts is None else (self._classes.number(kind), frozenset(zip(held, parts, strict=True)))

    def _parts(self, values: Iterable[Any], depth: int) -> list[tuple[Any, ...]] | None:
        """None as soon as one is not known."""
        parts = []
        for value in values:
            self._left -= 1
            part = self._part(value, depth) if self._left >= 0 else None
            if part is None:
                return None
            parts.append(part)
        return parts

    def _part(self, value: Any, depth: int) -> tuple[Any, ...] | None:
        kind = type(value)
        if is_plain(value):
            too_long = isinstance(value, str | bytes) and len(value) > _MAX_TEXT
            return None if too_long else (kind.__name__, value)
        if kind is FunctionType:
            return (kind.__name__, self._classes.number(value)) if _is_of_a_module(value) else None
        if (member := member_of(value)) is not None:
            return self._classes.number(kind), member.text
        if depth > _MAX_DEPTH:
            return None
        if kind not in (list, tuple, dict):
            return self._object(value, depth)
        if len(value) > self._left:
            return None
        items = [each for pair in value.copy().items() for each in pair] if kind is dict else [*value]
        parts = self._parts(items, depth + 1)
        return None if parts is None else (kind.__name__, tuple(parts))


def _is_of_a_module(function: FunctionType) -> bool:
    """Not of a function's own, which is another one each time: it is there once."""
    return function.__closure__ is None and "<" not in function.__qualname__ and not function.__dict__


def _attributes(value: Any) -> dict[str, Any] | None:
    """None of what may hold something else besides: in slots, or as a list, a function or an extension's does."""
    has_names = False
    for base in type.__dict__["__mro__"].__get__(type(value)):
        if base is object:
            continue
        names = type.__dict__["__dict__"].__get__(base)
        if type.__dict__["__basicsize__"].__get__(base) > _SIZE or names.get("__slots__"):
            return None
        if "__dict__" in names:
            if type(names["__dict__"]) is not GetSetDescriptorType:  # a user's property, say
                return None
            has_names = True
    held = object.__getattribute__(value, "__dict__") if has_names else None
    return dict(held) if type(held) is dict else None
