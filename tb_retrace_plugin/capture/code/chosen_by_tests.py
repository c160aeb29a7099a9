"""What an `if` chooses that no tensor can be: a text that is asked for in Python later, a function that is called, or
whether a list is added to.

AutoGraph makes `tf.cond` of an `if` on a tensor, and tensors of what its branches give their names; what a list is
given there is lost with the branch's graph.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from tb_retrace_plugin.capture.code.gone_through import grown
from tb_retrace_plugin.capture.code.source_tree import assigned


def asked_for(tree: ast.AST) -> frozenset[str]:
    """Names that are compared, looked up by or called."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            found |= {each.id for each in (node.left, *node.comparators) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Subscript | ast.Call):
            by = node.slice if isinstance(node, ast.Subscript) else node.func
            found |= {by.id} if isinstance(by, ast.Name) else set()
    return frozenset(found)


def chosen(node: ast.If, asked: Collection[str]) -> Iterator[str]:
    """`mode = '…'`, `loss = lambda …`, `out.append(…)`: each name once, with what it is first given."""
    told: set[str] = set()
    for line in (*node.body, *node.orelse):
        if (grows := grown(line.value if isinstance(line, ast.Expr) else line)) and grows not in told:
            told.add(grows)
            yield grows
        for name, value in assigned(line) if isinstance(line, ast.Assign) else ():
            if not isinstance(name, ast.Name) or name.id not in asked or name.id in told:
                continue
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                told.add(name.id)
                yield f"{name.id} = '…'"
            elif isinstance(value, ast.Lambda):
                told.add(name.id)
                yield f"{name.id} = lambda …"
