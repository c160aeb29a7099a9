"""Attributes that a class's own `__init__` gives an object of the user's: `self.net = Net(units)`. Nothing is run."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.source_tree import assigned, source_tree
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: By the code of an `__init__`, as the classes are when it is first asked for: attribute -> name of the class.
_known: ByCode[dict[str, str]] = ByCode()


def made_attributes(owner: type) -> dict[str, type]:
    """By name, the classes; of what another method of it, or a class below, gives as well, nothing: which of them it is
    is not known."""
    begins = in_class(owner, "__init__")
    if type(begins) is not FunctionType or not is_user_file(begins.__code__.co_filename):
        return {}
    names = _known.get(begins.__code__)
    if names is None:
        names = _known.put(begins.__code__, _without_what_others_give(_written(begins), owner, begins))
    made = {name: begins.__globals__.get(text) for name, text in names.items()}
    return {name: kind for name, kind in made.items() if isinstance(kind, type)}


def _written(begins: FunctionType) -> dict[str, str]:
    source = source_tree(begins.__code__)
    found: dict[str, list[ast.expr]] = {}
    own = begins.__code__.co_varnames[:1]
    for node in ast.walk(source.tree) if source is not None else ():
        for target, value in assigned(node) if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and (target.value.id,) == own:
                found.setdefault(target.attr, []).append(value)
    return {
        name: values[0].func.id
        for name, values in found.items()
        if len(values) == 1 and isinstance(values[0], ast.Call) and isinstance(values[0].func, ast.Name)
    }


def _without_what_others_give(names: dict[str, str], owner: type, begins: FunctionType) -> dict[str, str]:
    for kind in (*owner.__mro__, *_below(owner)) if names else ():
        for method in vars(kind).values():
            if type(method) is FunctionType and method is not begins and is_user_file(method.__code__.co_filename):
                stored = names_of(method.__code__).stored
                names = {name: made for name, made in names.items() if name not in stored}
    return names


def _below(owner: type) -> list[Any]:
    found: list[Any] = []
    todo: list[Any] = list(type.__subclasses__(owner))
    while todo:
        found.append(todo.pop())
        todo += type.__subclasses__(found[-1])
    return found
