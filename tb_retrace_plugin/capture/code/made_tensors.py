"""Attributes that are tensors or variables, as a class's own code makes them: `self.table = tf.Variable(…)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, TypeGuard

import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.known_packages import is_known
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.owning_class import owner_of
from tb_retrace_plugin.capture.code.source_tree import assigned, source_tree
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class, static_attribute

#: Of `tf`, each of which gives one tensor, or variable.
_MAKE_ONE = frozenset({
    "Variable", "cast", "constant", "convert_to_tensor", "eye", "fill", "linspace", "ones", "one_hot", "range", "zeros",
})  # fmt: skip
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
    nodes = list(ast.walk(source.tree)) if source is not None else []
    given = [
        value
        for node in nodes
        for target, value in _assigned(node)
        if _stores(target, attribute) and isinstance(target.value, ast.Name) and (target.value.id,) == own
    ]
    return len(given) == sum(_stores(node, attribute) for node in nodes) == 1 and _makes_one(given[0])


def is_held(function: Any, name: str, attribute: str) -> bool:
    """Whether the object of that name, which the function reads at module level or closes over, has a tensor or a
    variable there now: `net.table`."""
    code = getattr(function, "__code__", None)
    holder = around(function, code).get(name, MISSING) if type(code) is CodeType else MISSING
    return holder is not MISSING and is_a(static_attribute(holder, attribute), (tf.Tensor, tf.Variable))


def _stores(node: ast.AST, attribute: str) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr == attribute and not isinstance(node.ctx, ast.Load)


def _methods(owner: type) -> Iterator[FunctionType]:
    kinds: list[Any] = [owner]
    for kind in kinds:
        kinds += type.__subclasses__(kind)
    for kind in dict.fromkeys((*owner.__mro__, *kinds)):
        if is_known(in_class(kind, "__module__")):  # of Keras' own, which have many
            continue
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
