"""Classes of the program's own, given `__eq__` and `__hash__` over their attributes when they are made."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.capture.code.call_site import is_user_file


def install(changes: Sequence[AppliedChange]) -> None:
    """From now on, for class statements. Before any instance exists: none has been hashed by identity."""
    wanted = [change for change in changes if change.equal_classes]
    if not wanted:
        return
    build = builtins.__build_class__

    def build_class(body: Any, name: str, /, *bases: Any, **kwargs: Any) -> Any:
        made = build(body, name, *bases, **kwargs)
        for change in wanted:
            if name in change.equal_classes and is_user_file(body.__code__.co_filename):
                _give(made, change)
        return made

    builtins.__build_class__ = build_class


def _give(made: Any, change: AppliedChange) -> None:
    """The two methods that the advice writes (`explain/advice/objects/equal_objects.py`)."""
    if not isinstance(made, type) or not any(made.__eq__ is own for own in _OURS_OR_NONE):
        change.say(f"the class {made.__name__} has an `__eq__` of its own")
        return
    try:
        made.__eq__ = _equal  # type: ignore[assignment]
        made.__hash__ = _hash  # type: ignore[assignment]
    except (AttributeError, TypeError) as error:
        change.say(error)
    else:
        change.done.add("equal_classes")


def _hash(self: Any) -> int:
    return hash(type(self))


def _equal(self: Any, other: object) -> bool:
    try:
        if other is self or type(other) is not type(self) or vars(other).keys() != vars(self).keys():
            return other is self
        return all(np.array_equal(value, vars(other)[name]) for name, value in vars(self).items())
    except Exception:  # `__slots__`, or what refuses to be compared
        return False


_OURS_OR_NONE: tuple[Any, ...] = (object.__eq__, _equal)
