"""Which expression of a user's line is what a call passes at a place, or what a method is called of."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set

from tb_retrace_plugin.capture.code.scopes import Scope, nodes_of, tree_of

SELF, ITSELF = "self", "()"
CALLED = ("call", "__call__")
_BUILTINS = frozenset({"bool", "enumerate", "float", "int", "len", "list", "print", "range", "str", "tuple", "zip"})
_LIBRARIES = frozenset({"K", "keras", "math", "np", "numpy", "tensorflow", "tf"})


def passed_at(call: ast.Call, parameters: Sequence[str], path: str) -> ast.expr | None:
    if path == ITSELF:
        return call.func if isinstance(call.func, ast.Subscript | ast.Name | ast.Call) else None
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == path]
    place = parameters.index(path) if path in parameters else len(call.args)
    return by_name[0] if by_name else call.args[place] if place < len(call.args) else None


def called_of(
    scope: Scope, line: int, function: str, between: set[str], called_by: Set[str] = frozenset()
) -> list[ast.expr]:
    """Of what the line may call the method: `net.step(x)`, and `net.build(…)` or `net.fit(…)` where Keras calls it for
    that; of `call`, which `net(x)` runs, `net`, if no other such is called there."""
    holders = _holders(scope.calls(line, called_by or {function} if function else between))
    if holders or function not in CALLED or (not between and function != "__call__"):
        return holders
    if between and (holders := _holders(scope.calls(line, between - {*CALLED}))):
        return holders
    called = {ast.unparse(one.func): one.func for one in scope.calls(line, None) if not is_of_a_library(one.func)}
    return [*called.values()] if len(called) == 1 else []


def _holders(calls: Sequence[ast.Call]) -> list[ast.expr]:
    return [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]


def is_of_a_library(called: ast.expr) -> bool:
    """`tf.reduce_mean`, `float`, and what is done with a result: `np.asarray(…).round`."""
    if isinstance(called, ast.Name):
        return called.id in _BUILTINS
    is_method = isinstance(called, ast.Attribute)
    while isinstance(called, ast.Attribute):
        called = called.value
    return is_method if isinstance(called, ast.Call) else isinstance(called, ast.Name) and called.id in _LIBRARIES


def names_of_tf_functions(function: str, file: str) -> set[str]:
    """Those that the file gives a tf.function of it: `self.step = tf.function(self._step)`."""
    tree = tree_of(file)
    assigns = [node for node in (nodes_of(tree) if tree is not None else ()) if isinstance(node, ast.Assign)]
    return {
        target.attr if isinstance(target, ast.Attribute) else target.id
        for one in assigns
        if isinstance(one.value, ast.Call) and any(_name_of_own(arg) == function for arg in one.value.args)
        if "function" in ast.unparse(one.value.func)
        for target in one.targets
        if isinstance(target, ast.Attribute | ast.Name)
    }


def _name_of_own(node: ast.expr) -> str:
    """Of `self._step`, or `_step`."""
    if isinstance(node, ast.Name):
        return node.id
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == SELF
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""
