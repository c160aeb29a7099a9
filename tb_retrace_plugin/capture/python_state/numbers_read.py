"""Which plain numbers a function reads of objects that it is passed. Nothing of the program's is run."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture.python_state.callees import is_users
from tb_retrace_plugin.capture.python_state.python_reads import reads_of

_NUMBERS = (int, float)


def numbers_read(function: Any, instance: Any, arguments: Mapping[str, Any]) -> dict[str, int | float]:
    """By name, as `cfg.rate` and `self.rate`: what its own code reads, and methods of the object that it calls.

    `instance`: that it is a method of; None: of none.
    """
    if not (arguments or instance is not None) or not isinstance(function, FunctionType) or not is_users(function):
        return {}
    found = [(one.read.name.text, one.value) for one in reads_of(function, instance, arguments=arguments)]
    owners = {*arguments, "self"}
    return {name: value for name, value in found if type(value) in _NUMBERS and name.partition(".")[0] in owners}
