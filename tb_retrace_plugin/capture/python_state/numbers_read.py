"""Which plain numbers a function reads of objects that it is passed, and flags and tensors of its own. Nothing of the
program's is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.read_by_helpers import read_by_helpers
from tb_retrace_plugin.capture.python_state.callees import is_users
from tb_retrace_plugin.capture.python_state.python_reads import reads_of
from tb_retrace_plugin.capture.values.plain_values import is_number
from tb_retrace_plugin.capture.values.static_attribute import MISSING, static_attribute

_FLAGS = (bool, str)


def _is_real(value: Any) -> bool:
    return is_number(value) and not np.iscomplexobj(value)


def _is_told(value: object) -> bool:
    """Numbers alone are; with it those of a list's items are found, too."""
    return False


def numbers_read(
    function: Any, instance: Any, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, bool | str]]:
    """By name, as `cfg.rate` and `self.rate`: what its own code reads, methods of the object that it calls, and
    functions that it passes the object (read_by_helpers.py).

    `instance`: that it is a method of; None: of none. With them, bools and texts that it reads of that.
    """
    if not (arguments or instance is not None) or not isinstance(function, FunctionType) or not is_users(function):
        return {}, {}
    own = "self" if instance is not None else ""  # whatever its method calls it
    reads = reads_of(function, instance, own, arguments, is_told=_is_told)
    found = [(one.read.name.text, one.value) for one in reads]
    found += [
        (name, _at(name, arguments)) for name in (read_by_helpers(function.__code__, function) if arguments else ())
    ]
    # of no instance: a method that is passed has a `self` of its own (closure.py)
    owners = {*arguments} if instance is None else {*arguments, "self"}
    numbers = {name: value for name, value in found if _is_real(value) and name.partition(".")[0] in owners}
    return numbers, {
        name: v for name, v in found if type(v) in _FLAGS and "self" in owners and name.startswith("self.")
    }


def own_names(function: Any, instance: Any, captured: Sequence[Any]) -> tuple[str, ...]:
    """By which a method reads tensors and variables of its instance, as `self.weight`; none unless it is found to read
    all of them so. `captured`: tensors, and handles of variables."""
    if not isinstance(function, FunctionType) or not is_users(function):
        return ()
    asked = {id(one) for one in captured}
    reads = reads_of(function, instance, "self", is_told=lambda value: id(_captured(value)) in asked)
    found = {id(_captured(one.value)): one.read.name.text for one in reads if one.read.name.text.startswith("self.")}
    names = [found.get(id(one), "") for one in captured]
    return tuple(names) if all(names) else ()


def _captured(value: Any) -> Any:
    """What a graph captures of it."""
    handle = tf_seam.variable_handle(value)
    return value if handle is None else handle


def _at(name: str, arguments: Mapping[str, Any]) -> Any:
    """None of what there is not, and of a property."""
    argument, *attributes = name.split(".")
    found = arguments.get(argument)
    for attribute in attributes:
        found = None if found is None else static_attribute(found, attribute)
        found = None if found is MISSING else found
    return found
