"""Where names stand in a function's source, and what follows them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

#: What is read, and where.
Place = tuple[str, int, int]


def item_asked(call: ast.Call) -> str:
    """`cfg['rate']` of `cfg.get("rate", 0.5)`; "" of any other call, or of a key that is not written there."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "get" or not 0 < len(call.args) < 3:
        return ""
    is_written = isinstance(call.args[0], ast.Constant) and not call.keywords
    return f"{ast.unparse(call.func.value)}[{ast.unparse(call.args[0])}]" if is_written else ""


class Places:
    """Of names and what follows them: each is written out once, however many branches it lies in."""

    def __init__(self) -> None:
        self._within: dict[int, tuple[ast.AST, frozenset[Place]]] = {}

    def of(self, nodes: Iterable[ast.AST]) -> frozenset[Place]:
        return frozenset().union(*map(self.within, nodes))

    def within(self, node: ast.AST) -> frozenset[Place]:
        known = self._within.get(id(node))
        if known is None:
            found = self.of(ast.iter_child_nodes(node))
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
                found |= {(ast.unparse(node), node.lineno, node.col_offset)}
            elif isinstance(node, ast.Call) and (item := item_asked(node)):
                found |= {(item, node.lineno, node.col_offset)}
            known = self._within[id(node)] = node, found
        return known[1]
