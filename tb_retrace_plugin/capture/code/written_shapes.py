"""Shapes of tensors, as source asks for them."""

from __future__ import annotations

import ast


def is_shape(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def is_a_shape(node: ast.expr) -> bool:
    """Also of a part of one, `x.shape[1:]`: TensorFlow's own, to which no list of tensors can be added."""
    is_part = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return is_shape(node.value if is_part and isinstance(node, ast.Subscript) else node)
