"""Attributes that are tensors or variables, as a class's own code makes them: `self.table = tf.Variable(…)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.source_tree import assigned, source_tree
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: Of `tf`, each of which gives one tensor, or variable.
_MAKE_ONE = frozenset(
    {
        "Variable",
        "cast",
        "constant",
        "convert_to_tensor",
        "eye",
        "fill",
        "linspace",
        "ones",
        "one_hot",
        "range",
        "zeros",
    }
)
_MODULES = frozenset({"tf", "tensorflow"})
#: Of a Keras layer.
_WEIGHT = "add_weight"


def is_a_tensor(function: Any, attribute: str) -> bool:
    """Whether the class that the function is a method of gives its objects such a one in one line, and neither that
    class nor those around it in another. What other code gives them is not looked for. Nothing is run."""
    owner = owner_of(function)
    if owner is None:
        return False
    giving = [method for method in _methods(owner) if attribute in names_of(method.__code__).stored]
    if len(giving) != 1:
        return False
    source = source_tree(giving[0].__code__)
    own = giving[0].__code__.co_varnames[:1]
    given = [
        value
        for node in (ast.walk(source.tree) if source is not None else ())
        for target, value in _assigned(node)
        if isinstance(target, ast.Attribute) and target.attr == attribute
        and isinstance(target.value, ast.Name) and (target.value.id,) == own
    ]  # fmt: skip
    stores = (node for node in (ast.walk(source.tree) if source is not None else ()) if _stores(node, attribute))
    return len(given) == len([*stores]) == 1 and _makes_one(given[0])


def owner_of(function: Any) -> type | None:
    """The class that a method was written in, found by its name."""
    path = str(getattr(function, "__qualname__", "")).split(".")[:-1]
    found: Any = getattr(function, "__globals__", {}).get(path[0]) if path else None
    for name in path[1:]:
        found = in_class(found, name) if isinstance(found, type) else None
    return found if isinstance(found, type) else None


def _stores(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load)


def _methods(owner: type) -> Iterator[FunctionType]:
    kinds: list[Any] = [owner]
    for kind in kinds:
        kinds += type.__subclasses__(kind)
    for kind in dict.fromkeys((*owner.__mro__, *kinds)):
        for method in map(tf_seam.plain_function, vars(kind).values()):
            if type(method) is FunctionType and is_user_file(method.__code__.co_filename):
                yield method


def _assigned(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(node.target, node.value)]
    return [*assigned(node)] if isinstance(node, ast.Assign) else []


def _makes_one(value: ast.expr) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
        return False
    return called.attr == _WEIGHT or (called.value.id in _MODULES and called.attr in _MAKE_ONE)
