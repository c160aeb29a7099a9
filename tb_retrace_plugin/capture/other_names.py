"""A function's source with what its own names stand for in their place: `k = cfg['k']`, `x, y = batch`."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from types import CodeType

from tb_retrace_plugin.capture.source_tree import lies_in

_VARIABLE = 0x04 | 0x08  # inspect's CO_VARARGS and CO_VARKEYWORDS


def parameters_of(code: CodeType) -> set[str]:
    """With `args` of `*args` and `kwargs` of `**kwargs`, without `self`."""
    count = code.co_argcount + code.co_kwonlyargcount + (code.co_flags & _VARIABLE).bit_count()
    return set(code.co_varnames[:count]) - {"self"}


def by_parameters(tree: ast.AST, parameters: set[str]) -> ast.AST:
    """The tree, or a copy in which names are what lies in a parameter; not those that are assigned to again."""
    stands_for = _stands_for(tree, parameters)
    return _Replaced(stands_for).visit(copy.deepcopy(tree)) if stands_for else tree


def _stands_for(tree: ast.AST, parameters: set[str]) -> dict[str, ast.expr]:
    nodes = list(ast.walk(tree))
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    stored.update(node.arg for node in nodes if isinstance(node, ast.arg))
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1]
    found: dict[str, ast.expr] = {}
    for node in sorted(assigned, key=lambda each: each.lineno):
        for target, value in _one_by_one(node):
            if not lies_in(value, {*parameters, *found}):
                continue
            for name, part in _named(target, _Replaced(found).visit(copy.deepcopy(value))):
                if stored[name] == 1 and name not in parameters:
                    found[name] = part
    return found


def _one_by_one(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """Also of `k, n = cfg["k"], cfg["n"]`."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _named(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if any(isinstance(part, ast.Starred) for part in parts) or _is_shape(value):
        return []
    items = [ast.Subscript(value, ast.Constant(number), ast.Load()) for number in range(len(parts))]
    return [(part.id, item) for part, item in zip(parts, items, strict=True) if isinstance(part, ast.Name)]


def _is_shape(value: ast.expr) -> bool:
    """Whose parts are sizes, and are read as such."""
    return isinstance(value, ast.Attribute) and value.attr == "shape"


class _Replaced(ast.NodeTransformer):
    def __init__(self, stands_for: dict[str, ast.expr]) -> None:
        self._stands_for = stands_for

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._stands_for:
            return self._stands_for[node.id]
        return node
