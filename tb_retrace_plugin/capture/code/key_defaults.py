"""What a function's source takes in place of a key that its dictionary lacks: `2.0` of `batch.get("scale", 2.0)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.source_tree import lies_in

#: As modules are imported: what is made by them is the same wherever it is written.
_MODULES = frozenset({"tf", "tensorflow", "np", "numpy"})
DEFAULT = " by default"


def key_defaults(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`batch['scale']: 2.0 by default`; also of `batch["scale"] if "scale" in batch else 2.0`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if len(node.args) == 2 and not node.keywords and lies_in(node.func.value, parameters):
                yield from _told(node.func.value, node.args[0], node.args[1])
        elif isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
            key, (operation,), (container,) = node.test.left, node.test.ops, node.test.comparators
            with_it, without = node.body, node.orelse
            if isinstance(operation, ast.NotIn):
                with_it, without = without, with_it
            is_asked = isinstance(operation, ast.In | ast.NotIn) and lies_in(container, parameters)
            if is_asked and ast.unparse(with_it) == ast.unparse(ast.Subscript(container, key, ast.Load())):
                yield from _told(container, key, without)


def _told(container: ast.expr, key: ast.expr, default: ast.expr) -> Iterator[str]:
    is_known = isinstance(key, ast.Constant) and not (isinstance(default, ast.Constant) and default.value is None)
    if is_known and all(each.id in _MODULES for each in ast.walk(default) if isinstance(each, ast.Name)):
        yield f"{ast.unparse(container)}[{ast.unparse(key)}]: {ast.unparse(default)}{DEFAULT}"
