"""Layers of the user's that a function calls: Keras 3 runs their `call` as it is written, without AutoGraph."""

from __future__ import annotations

import dis
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.made_attributes import made_attributes
from tb_retrace_plugin.capture.code.made_tensors import owner_of
from tb_retrace_plugin.capture.values.static_attribute import in_class

_ITSELF = "self"
_LAYER = "keras.src.layers.layer", "Layer"
_COMPARES = dis.opmap["COMPARE_OP"]


def layers_called(function: Any, code: CodeType, around: Mapping[str, Any]) -> dict[str, FunctionType]:
    """`model`, `self.net`, `self` -> what its class has as `call`. `around`: what the function closes over, and its
    globals."""
    kinds = {name: type(value) for name, value in around.items()}
    owner = owner_of(function)
    if owner is not None and code.co_varnames[:1] == (_ITSELF,):
        kinds[_ITSELF] = owner
        kinds |= {f"{_ITSELF}.{name}": kind for name, kind in made_attributes(owner).items() if name in code.co_names}
    calls = {name: in_class(kind, "call") for name, kind in kinds.items() if _is_a_layer(kind)}
    return {
        name: call
        for name, call in calls.items()
        if _is_the_users(call) and not _is_the_users(in_class(kinds[name], "__call__"))
    }


def decides(code: CodeType) -> bool:
    """Whether it may compare a number, or count to one."""
    return "range" in code.co_names or _COMPARES in code.co_code[::2]


def _is_the_users(function: Any) -> bool:
    return type(function) is FunctionType and is_user_file(function.__code__.co_filename)


def _is_a_layer(kind: type) -> bool:
    return any(
        (in_class(each, "__module__"), each.__name__) == _LAYER for each in type.__dict__["__mro__"].__get__(kind)
    )
