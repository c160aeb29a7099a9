"""Numbers that are read by what Python runs each time that a graph is executed, in which a tensor has no value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tb_retrace_plugin.capture.code.inner_functions import RUN_LATER

_RUNS = " runs "
_Function = ast.Lambda | ast.FunctionDef


class RunLater:
    """What `tf.py_function` and its like are given in the source of a function."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        calls = [node for node in nodes if isinstance(node, ast.Call) and _last(node.func) in RUN_LATER]
        made = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)} if calls else {}
        #: What each call is given, and the functions in it, which are not read as those that run while it is traced.
        self.given: dict[int, list[ast.expr | ast.FunctionDef]] = {}
        self.functions: set[int] = set()
        for call in calls:
            given = [*call.args[:1], *(each.value for each in call.keywords if each.arg in ("func", "generator"))]
            own = [made.get(one.id, one) if isinstance(one, ast.Name) else one for one in given]
            self.given[id(call)] = own
            self.functions |= {id(one) for one in own if isinstance(one, _Function)}

    def of(self, call: ast.Call, is_number: Callable[[ast.expr], bool]) -> Iterator[str]:
        """`tf.py_function runs scale`."""
        called = ast.unparse(call.func)
        for one in self.given.get(id(call), ()):
            arguments = ast.walk(one.args) if isinstance(one, _Function) else ()
            own = {each.arg for each in arguments if isinstance(each, ast.arg)}
            for number in _outermost(one, is_number):
                if number.partition(".")[0].partition("[")[0] not in own:
                    yield f"{called}{_RUNS}{number}"


def _outermost(node: ast.AST, is_number: Callable[[ast.expr], bool]) -> Iterator[str]:
    if isinstance(node, ast.expr) and is_number(node):
        yield ast.unparse(node)
        return
    for child in ast.iter_child_nodes(node):
        yield from _outermost(child, is_number)


def _last(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
