"""Ranks of tensors that a function's source asks for in Python, of an unknown one there is none; and dtypes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.asked_sizes import shape_of
from tb_retrace_plugin.capture.code.source_tree import lies_in

#: Ends a use.
OF_RANK, OF_DTYPE = " of rank", " of dtype"
_OF_A_SHAPE = frozenset({"rank", "ndims"})
_MAX_TEXT = 80


def asked_ranks(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`len(x.shape)`, `x.shape.rank`, `x.ndim`; `n, size = x.shape` takes tensors of one rank alone."""
    for node in ast.walk(tree):
        text = _asked(node, parameters)
        if text and len(text) <= _MAX_TEXT:
            yield f"{text}{OF_RANK}"


def asked_dtypes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`x.dtype == tf.string`, by which Python decides what is built."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        both = [node.left, *node.comparators]
        asks = any(
            isinstance(one, ast.Attribute) and one.attr == "dtype" and lies_in(one.value, parameters) for one in both
        )
        if asks and len(text := ast.unparse(node)) <= _MAX_TEXT:
            yield f"{text}{OF_DTYPE}"


def _asked(node: ast.AST, parameters: set[str]) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        shape = shape_of(node.args[0], parameters) if len(node.args) == 1 else ""
        return f"len({shape})" if shape else ""
    if isinstance(node, ast.Attribute) and node.attr in _OF_A_SHAPE:
        shape = shape_of(node.value, parameters)
        return f"{shape}.{node.attr}" if shape else ""
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return ast.unparse(node) if lies_in(node.value, parameters) else ""
    return ""
