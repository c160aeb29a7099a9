"""Where a function's source still reads what a parameter was passed, though it gives it another value later: the test
of `rate = self.rate if rate is None else rate`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

#: Ends the name of what is asked of such a parameter.
AT_FIRST = " at first"
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ASSIGNS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_OF_ITS_OWN = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def mark_first_values(tree: ast.AST) -> None:
    """Nothing that a loop may come to again, and nothing of a function that is made within."""
    function = next((node for node in ast.walk(tree) if isinstance(node, _OF_ITS_OWN[:3])), None)
    if function is None or isinstance(function, ast.Lambda):
        return
    of = function.args
    parameters = {one.arg for one in (*of.posonlyargs, *of.args, *of.kwonlyargs)}
    around = dict(_statements(function.body, ()))
    stored: dict[str, ast.stmt] = {}
    for statement in around:  # in the order in which they stand
        for name in _stores(statement) & parameters:
            stored.setdefault(name, statement)
    for statement, loops in around.items() if stored else ():
        for node in _own(statement):
            first = stored.get(node.id) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None
            if first is not None and _is_before(statement, first) and not {*loops} & {*around[first], first}:
                node.at_first = True  # type: ignore[attr-defined]


def is_at_first(node: ast.expr) -> bool:
    """Of a name, or what lies in one."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return getattr(node, "at_first", False)


def _statements(body: list[ast.stmt], loops: tuple[ast.stmt, ...]) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    """Each with the loops around it, of which it is one itself."""
    for one in body:
        within = (*loops, one) if isinstance(one, _LOOPS) else loops
        yield one, within
        if isinstance(one, _OF_ITS_OWN):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(one, field, []), within)
        for each in (*getattr(one, "handlers", ()), *getattr(one, "cases", ())):
            yield from _statements(each.body, within)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """Without the statements in it, and what has names of its own."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            one
            for one in ast.iter_child_nodes(node)
            if not isinstance(one, (ast.stmt, ast.ExceptHandler, ast.match_case, *_OF_ITS_OWN))
        ]


def _stores(statement: ast.stmt) -> set[str]:
    nodes = ast.walk(statement) if isinstance(statement, _OF_ITS_OWN) else _own(statement)
    return {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}


def _is_before(statement: ast.stmt, first: ast.stmt) -> bool:
    """What an assignment gives a name is computed before."""
    if statement is first:
        return isinstance(statement, _ASSIGNS)
    return (statement.lineno, statement.col_offset) < (first.lineno, first.col_offset)
