"""Lists that are written in source, and what lies in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def leaves(value: ast.expr) -> Iterator[ast.expr]:
    if isinstance(value, ast.List | ast.Tuple):
        for each in value.elts:
            yield from leaves(each)
    else:
        yield value


def items(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.List | ast.Tuple) else [value]


def is_named_within(value: ast.expr, target: ast.expr) -> bool:
    """Whether a name that `target` assigns to, as a loop does, is read in it."""
    named = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
    return any(isinstance(node, ast.Name) and node.id in named for node in ast.walk(value))
