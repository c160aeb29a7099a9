"""What code assigns whichever way it goes: `self.x = self.x + dx`, not `if self.x is None: self.x = zeros`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

#: What lies in these is not run in each trace.
_SOMETIMES = (ast.If, ast.IfExp, ast.Try, ast.Match, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@once_per_code
def always_assigned(code: CodeType) -> list[str]:
    """As it is written."""
    source = source_tree(code)
    tree = ast.walk(source.tree) if source is not None else ()
    own = next((node for node in tree if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    nodes = (node for statement in own.body for node in _run(statement)) if own is not None else ()
    return [ast.unparse(node) for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]


def _run(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, _SOMETIMES):
        yield node
        for part in ast.iter_child_nodes(node):
            yield from _run(part)
