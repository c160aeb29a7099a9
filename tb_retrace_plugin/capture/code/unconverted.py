"""What AutoGraph would make a part of the graph, of a function that it does not convert: there no tensor can be one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.source_tree import assigned_once, lies_in, once_per_code, source_tree
from tb_retrace_plugin.explain.verdict.decided_in_python import IN_A_LAYER, UNCONVERTED

_MOST, _MAX_TEXT = 6, 100
_COMPARE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


@once_per_code
def unconverted(code: CodeType) -> list[str]:
    """`for … in range(n)`, `if n > 3: …`, `if n: …`, `while n > 3: …`, `… if n else …` of its parameters, as code."""
    source = source_tree(code)
    if source is None:
        return []
    parameters = parameters_of(code)
    found = dict.fromkeys(_uses(by_parameters(source.tree, code, parameters), parameters))
    return [f"{use}{UNCONVERTED}" for use in found if len(use) <= _MAX_TEXT][:_MOST]


def in_what_is_called(tree: ast.AST, numbers: set[str], *, of_a_layer: bool) -> Iterator[str]:
    """The same of numbers that what is called takes, as if it were the caller's (helpers.py)."""
    return (f"{use}{IN_A_LAYER if of_a_layer else UNCONVERTED}" for use in _uses(tree, numbers))


def _uses(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    stands_for = assigned_once(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            called = node.iter
            if isinstance(called.func, ast.Name) and called.func.id == "range" and _has_one(called, parameters):
                yield f"for … in {ast.unparse(called)}"
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            if any(_compares(node.test, parameters)) or any(_is_true_of(node.test, parameters)):
                yield _decides(node, ast.unparse(node.test))
            names = (one.id for one in ast.walk(node.test) if isinstance(one, ast.Name))
            for made in (stands_for[name] for name in names if name in stands_for):  # `late = n > 3`
                yield from (_decides(node, ast.unparse(one)) for one in _compares(made, parameters))


def _compares(test: ast.expr, parameters: set[str]) -> Iterator[ast.Compare]:
    for one in ast.walk(test):
        if isinstance(one, ast.Compare) and all(isinstance(op, _COMPARE) for op in one.ops):
            yield from [one] if _has_one(one, parameters) else []


def _is_true_of(test: ast.expr, parameters: set[str]) -> Iterator[bool]:
    """`if n:`, `if not n and …:`."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _is_true_of(value, parameters)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _is_true_of(test.operand, parameters)
    elif isinstance(test, ast.Name | ast.Attribute | ast.Subscript) and _has_one(test, parameters):
        yield lies_in(test, parameters)


def _decides(node: ast.If | ast.While | ast.IfExp, test: str) -> str:
    if isinstance(node, ast.IfExp):
        return f"… if {test} else …"
    return f"{'while' if isinstance(node, ast.While) else 'if'} {test}: …"


def _has_one(node: ast.AST, parameters: set[str]) -> bool:
    """Sizes are numbers whatever is passed."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    asks_sizes = any(isinstance(one, ast.Attribute) and one.attr == "shape" for one in ast.walk(node))
    return not asks_sizes and "len" not in names and not names.isdisjoint(parameters)
