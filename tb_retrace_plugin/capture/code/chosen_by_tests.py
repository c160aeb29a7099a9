"""What an `if` chooses that no tensor can be: a text that is asked for in Python later, a function that is called, or
whether a list is added to, or a loop of Python's ends; and whole numbers, which are a tensor of int32 then.

AutoGraph makes `tf.cond` of an `if` on a tensor, and tensors of what its branches give their names; what a list is
given there is lost with the branch's graph.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

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


def computed_with(tree: ast.AST) -> frozenset[str]:
    """Names that something else than a number which is written there is computed with."""
    pairs = ((n.left, n.right) for n in ast.walk(tree) if isinstance(n, ast.BinOp))
    each = (both for one, other in pairs for both in ((one, other), (other, one)))
    return frozenset(a.id for a, b in each if isinstance(a, ast.Name) and not isinstance(b, ast.Constant))


def chosen_numbers(node: ast.If, computed: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """`size`, 16 and `10` of `if …: size = 16` and `else: size = 10`; `…` where that asks for something else again."""
    otherwise: dict[str, int | str] = {**dict(_whole_numbers(node.orelse))}
    asks_again = len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
    if asks_again and isinstance(node.orelse[0], ast.If):
        otherwise = dict.fromkeys((name for name, *_ in chosen_numbers(node.orelse[0], computed)), "…")
    for name, value in _whole_numbers(node.body):
        if name in computed and name in otherwise:
            yield name, value, str(otherwise[name])


def _whole_numbers(lines: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    for line in lines:
        for name, value in assigned(line) if isinstance(line, ast.Assign) else ():
            if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and type(value.value) is int:
                yield name.id, value.value


def breaks(node: ast.For) -> Iterator[ast.expr]:
    """By what it is ended: `if …: break`."""
    tests = (line for line in node.body if isinstance(line, ast.If))
    yield from (line.test for line in tests if any(isinstance(each, ast.Break) for each in line.body))
