"""Which names in a function's source are variables of its own, and what they stand for."""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def assigned_once(tree: ast.AST) -> dict[str, ast.expr]:
    """Local variables that are given one thing in all of the source: `mode = self.mode`."""
    given = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    times = collections.Counter(
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    )
    others = {name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return {name: value for name, value in given.items() if times[name] == 1 and name not in others}


def named_within(tree: ast.AST) -> Iterator[str]:
    """What is another thing in functions that are made in it, and in comprehensions: their own variables."""
    outermost = next((node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)), None)
    for inner in ast.walk(tree):
        if isinstance(inner, _FUNCTIONS + _COMPREHENSIONS) and inner is not outermost:
            for node in ast.walk(inner):
                if isinstance(node, ast.arg):
                    yield node.arg
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id
