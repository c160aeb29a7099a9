"""Lists and dictionaries of which a function's source reads all that they hold, and which it changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from tb_retrace_plugin.capture.by_code import ByCode
from tb_retrace_plugin.capture.source_tree import source_tree

#: That go through what they are given, or count it.
_GO_THROUGH = frozenset({
    "all", "any", "dict", "enumerate", "filter", "len", "list", "map", "max", "min", "reversed", "set", "sorted", "sum",
    "tuple", "zip",
})  # fmt: skip
_MODULES = frozenset({"tf", "np", "numpy", "math"})
_READ_ALL = frozenset({"items", "keys", "values"})
_FILL = frozenset({
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update",
})  # fmt: skip


class Whole(NamedTuple):
    """`read`: as they are written, such as `self.rates`. `filled`: the last names of those."""

    read: frozenset[str]
    filled: frozenset[str]


_NOTHING = Whole(frozenset(), frozenset())
_known: ByCode[Whole] = ByCode()


def read_whole(code: CodeType) -> Whole:
    """Nothing where the source is not to be had."""
    found = _known.get(code)
    if found is None:
        source = source_tree(code)
        found = _NOTHING
        if source is not None:
            try:
                read = frozenset(ast.unparse(node) for node in _read(source.tree))
                found = Whole(read, frozenset(_filled(source.tree)))
            except RecursionError:
                pass
        _known.put(code, found)
    return found


def _read(tree: ast.AST) -> Iterator[ast.expr]:
    """What is gone through, handed to TensorFlow, or computed with; not what one item is taken of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Starred):
            yield node.value
        elif isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, ast.Assign) and any(isinstance(one, ast.Tuple | ast.List) for one in node.targets):
            yield node.value
        elif isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in _READ_ALL:
                yield called.value
            if _goes_through(called):
                yield from node.args
                yield from (keyword.value for keyword in node.keywords)


def _goes_through(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in _GO_THROUGH
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in _MODULES


def _filled(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        changed = None
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILL:
            changed = node.func.value
        if isinstance(changed, ast.Attribute):
            yield changed.attr
        elif isinstance(changed, ast.Name):
            yield changed.id
