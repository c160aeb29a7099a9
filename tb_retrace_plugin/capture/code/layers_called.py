"""What a function calls of the user's and AutoGraph does not convert: layers, whose `call` Keras 3 runs as it is
written, and what `do_not_convert` decorates."""

from __future__ import annotations

import dis
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.made_attributes import made_attributes
from tb_retrace_plugin.capture.code.methods_of_arguments import OfAnArgument
from tb_retrace_plugin.capture.code.objects_called import objects_called
from tb_retrace_plugin.capture.code.owning_class import owner_of
from tb_retrace_plugin.capture.values.static_attribute import in_class

_ITSELF = "self"
_AUTOGRAPH = "/tensorflow/python/autograph/impl/api.py"
_LAYER = "keras.src.layers.layer", "Layer"
_COMPARES = dis.opmap["COMPARE_OP"]


def layers_held(code: CodeType, instance: Any, arguments: Mapping[str, Any]) -> dict[str, FunctionType]:
    """`self.net`, of the object that a method is of, `self.blocks[...]`, which it goes through, and `net`, which it is
    passed -> what its class has as `call`."""
    if instance is None and not arguments:  # nearly always
        return {}
    kinds: dict[str, type] = {OfAnArgument(name): type(value) for name, value in arguments.items()}
    for one in objects_called(code):
        holder = one.holder(None, instance, arguments) if one.base in ("self", "argument") else None
        for value, _, _ in one.found_in(holder) if holder is not None else ():
            call = in_class(type(value), "call")
            if one.text not in kinds or (type(call) is FunctionType and decides(call.__code__)):
                kinds[one.text] = type(value)
    return _calls_of(kinds)


def layers_known(function: Any, code: CodeType, around: Mapping[str, Any]) -> dict[str, FunctionType]:
    """The same of what it closes over and has as globals (`around`), of its own class, and of what that makes."""
    kinds = {name: type(value) for name, value in around.items()}
    owner = owner_of(function)
    if owner is not None and code.co_varnames[:1] == (_ITSELF,):
        kinds[_ITSELF] = owner
        kinds |= {f"{_ITSELF}.{name}": kind for name, kind in made_attributes(owner).items() if name in code.co_names}
    return _calls_of(kinds)


def left_to_python(function: Any, code: CodeType, around: Mapping[str, Any]) -> dict[str, FunctionType]:
    """Functions of the user's, and methods of its own class, that are decorated by `do_not_convert`."""
    values = dict(around)
    owner = owner_of(function) if code.co_varnames[:1] == (_ITSELF,) else None
    if owner is not None:
        values |= {f"{_ITSELF}.{name}": in_class(owner, name) for name in code.co_names}
    kept = {name: value.__dict__.get("__wrapped__") for name, value in values.items() if _is_autographs(value)}
    return {name: value for name, value in kept.items() if _is_the_users(value)}


def _is_autographs(value: Any) -> bool:
    """A wrapper of AutoGraph's own."""
    return type(value) is FunctionType and value.__code__.co_filename.replace("\\", "/").endswith(_AUTOGRAPH)


def decides(code: CodeType) -> bool:
    """Whether it may compare a number, or count to one."""
    return "range" in code.co_names or _COMPARES in code.co_code[::2]


def _calls_of(kinds: Mapping[str, type]) -> dict[str, FunctionType]:
    calls = {name: in_class(kind, "call") for name, kind in kinds.items() if _is_a_layer(kind)}
    return {
        name: call
        for name, call in calls.items()
        if _is_the_users(call) and not _is_the_users(in_class(kinds[name], "__call__"))
    }


def _is_the_users(function: Any) -> bool:
    return type(function) is FunctionType and is_user_file(function.__code__.co_filename)


def _is_a_layer(kind: type) -> bool:
    return any(
        (in_class(each, "__module__"), each.__name__) == _LAYER for each in type.__dict__["__mro__"].__get__(kind)
    )
