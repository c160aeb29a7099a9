"""Sizes of tensors that a function's source asks for by their number: each is None once it is unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.source_tree import lies_in


def asked_sizes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`x.shape[1]`, also where `_, length = x.shape` asks for it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_shape(node.value, parameters):
            index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
            if isinstance(index, ast.Constant) and type(index.value) is int:
                yield ast.unparse(node)
        elif isinstance(node, ast.Assign) and _is_shape(node.value, parameters):
            for target in node.targets:
                names = target.elts if isinstance(target, ast.Tuple | ast.List) else []
                if all(isinstance(name, ast.Name) for name in names):
                    kept = (axis for axis, name in enumerate(names) if not getattr(name, "id", "_").startswith("_"))
                    yield from (f"{ast.unparse(node.value)}[{axis}]" for axis in kept)


def _is_shape(node: ast.expr, parameters: set[str]) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape" and lies_in(node.value, parameters)
