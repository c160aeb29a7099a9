"""What a class runs once for each of its objects: `__init__`, a method that it alone calls, or that the module calls in
one line (`gan.setup()`), `build` of a Keras layer, and what a test for None comes before."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.capture.code.passed_in_lines import SELF
from tb_retrace_plugin.capture.code.scopes import INIT, Scope, name_of, nodes_of, scope_in

_BUILD = "build"
_MOST_STEPS = 4
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def scopes_once_for_each(tree: ast.Module, trees: Sequence[ast.Module]) -> Mapping[int, Scope]:
    """By the ids of their nodes. `trees`: of other files that may call what is in it."""
    once = _OnceForEach([tree, *(one for one in trees if one is not tree)])
    scopes = (scope_in(one, tree) for one in nodes_of(tree) if isinstance(one, _Function) and once.runs(one))
    return {id(node): scope for scope in scopes for node in scope.parents}


def is_where_it_is_none(node: ast.AST, name: str, tree: ast.Module) -> bool:
    """`if self.net is None: self.net = Net()`."""
    tests = (one for one in nodes_of(tree) if isinstance(one, ast.If) and len(one.body) <= _MOST_STEPS)
    around = [one for one in tests if any(each is node for part in one.body for each in ast.walk(part))]
    return any(_asks_whether_none(one.test, name) for one in around)


def _asks_whether_none(test: ast.expr, name: str) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_own(test.operand, name) or _asks_whether_there(test.operand, name)
    is_none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and len(test.ops) == 1
    return is_none and isinstance(test, ast.Compare) and _is_own(test.left, name) and _is_none(test.comparators[0])


def _asks_whether_there(test: ast.expr, name: str) -> bool:
    if not isinstance(test, ast.Call) or name_of(test) != "hasattr" or len(test.args) != 2:
        return False
    return isinstance(test.args[1], ast.Constant) and test.args[1].value == name


def _is_own(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and _is_self(node.value)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_self(node: ast.expr) -> bool:
    is_super = isinstance(node, ast.Call) and name_of(node) == "super"
    return is_super or (isinstance(node, ast.Name) and node.id == SELF)


class _OnceForEach:
    def __init__(self, trees: Sequence[ast.Module]) -> None:
        nodes = [node for tree in trees for node in nodes_of(tree)]
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        self._class_of = {id(one): each for each in classes for one in each.body}
        functions = [(node, tree) for tree in trees for node in nodes_of(tree) if isinstance(node, _Function)]
        self._names = {function.name for function, _ in functions}
        within = [(scope_in(tree, tree), None) for tree in trees]
        self._calls: dict[str, list[tuple[ast.Call, Scope, _Function | None]]] = {}
        for scope, function in [*within, *((scope_in(one, tree), one) for one, tree in functions)]:
            for node in scope.parents:
                if isinstance(node, ast.Call) and name_of(node) in self._names:
                    self._calls.setdefault(name_of(node), []).append((node, scope, function))

    def runs(self, function: _Function, depth: int = 0) -> bool:
        """Whether it runs once, or once for each object of its class."""
        if function.name == INIT:
            return True
        calls = self._calls.get(function.name, [])
        if depth > _MOST_STEPS or any(scope.is_repeated(call) for call, scope, _ in calls):
            return False
        owner = self._class_of.get(id(function))
        own = [one for one in calls if isinstance(one[0].func, ast.Attribute) and _is_self(one[0].func.value)]
        if owner is not None and function.name == _BUILD and owner.bases and not own:
            return True
        if owner is None or not own:
            return len(calls) == 1 and (calls[0][2] is None or self._is_called_once(calls[0][2], depth))
        callers = [caller for _, _, caller in own]
        classes = [id(self._class_of.get(id(caller))) for caller in callers]
        are_once = all(caller is not None and self.runs(caller, depth + 1) for caller in callers)
        return len(own) == len(calls) and len({*classes}) == len(classes) and are_once

    def _is_called_once(self, function: _Function, depth: int) -> bool:
        """Of a plain function."""
        return id(function) not in self._class_of and self.runs(function, depth + 1)
