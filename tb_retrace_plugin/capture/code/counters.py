"""Numbers from around it that a function counts and does not read: `self.calls += 1`. They count its traces."""

from __future__ import annotations

import ast
from types import CodeType

from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

_MOST = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@once_per_code
def counters(code: CodeType) -> list[str]:
    """As they are written; none that is a local variable's, nor one that a function made in it counts."""
    source = source_tree(code)
    if source is None:
        return []
    own = next((n for n in ast.walk(source.tree) if isinstance(n, _FUNCTIONS)), None)
    nodes = list(ast.walk(source.tree))
    inner = {id(part) for node in nodes if isinstance(node, _FUNCTIONS) and node is not own for part in ast.walk(node)}
    outside = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    read = {ast.unparse(node) for node in nodes if isinstance(getattr(node, "ctx", None), ast.Load)}
    found: dict[str, None] = {}
    for node in nodes:
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub) or id(node) in inner:
            continue
        text = ast.unparse(node.target)
        root: ast.expr = node.target
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name) or not isinstance(node.value, ast.Constant) or text in read:
            continue
        is_local = root.id in {*code.co_varnames, *code.co_cellvars} - set(code.co_varnames[: code.co_argcount])
        if root.id in outside if root is node.target else not is_local:
            found[text] = None
    return list(found)[:_MOST]
