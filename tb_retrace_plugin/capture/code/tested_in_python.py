"""What a function asks of its numbers in Python's own `if`, `while` and `… if … else …`: without AutoGraph none of
them takes a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree
from tb_retrace_plugin.explain.verdict.decided_in_python import WITHOUT_AUTOGRAPH

#: That are told of a function, and the longest.
_MOST, _MAX_TEST = 8, 60
_ASKS_WHETHER = ast.Is | ast.IsNot | ast.In | ast.NotIn


@once_per_code
def tested_in_python(code: CodeType, function: Any) -> list[str]:
    """`if l == 0 without AutoGraph`: of its parameters. Not what is only asked to be None, or for its shape."""
    parameters = parameters_of(code)
    source = source_tree(code) if parameters and type(function) is FunctionType else None
    if source is None:
        return []
    tree = by_parameters(source.tree, code, parameters, parameters)
    tests = (node.test for node in ast.walk(tree) if isinstance(node, ast.If | ast.IfExp | ast.While))
    asked = (f"if {ast.unparse(one)}" for test in tests for one in _asked(test) if _numbers(one) & parameters)
    found = dict.fromkeys(text for text in asked if len(text) <= _MAX_TEST)
    return [f"{text}{WITHOUT_AUTOGRAPH}" for text in found][:_MOST]


def _asked(test: ast.expr) -> Iterator[ast.expr]:
    """Each of what `and`, `or` and `not` join; Python asks each for its truth."""
    if isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from _asked(each)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _asked(test.operand)
    elif not (isinstance(test, ast.Compare) and any(isinstance(op, _ASKS_WHETHER) for op in test.ops)):
        yield test


def _numbers(test: ast.expr) -> set[str]:
    """Names that are compared as they are, or computed with."""
    if isinstance(test, ast.Name):
        return {test.id}
    if isinstance(test, ast.Compare):
        return set().union(*map(_numbers, (test.left, *test.comparators)))
    if isinstance(test, ast.BinOp):
        return _numbers(test.left) | _numbers(test.right)
    return _numbers(test.operand) if isinstance(test, ast.UnaryOp) else set()
