"""A line that builds a dataset, in two: what of it runs the function is built once, and what names choose after that
each time, as `batch(size)`: no trace comes of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tb_retrace_plugin.explain.advice.datasets.dataset_code import chosen_by
from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import builders, method_that_builds
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line

#: Methods that make no function of what they are given.
_NO_FUNCTION = frozenset(
    {"batch", "padded_batch", "prefetch", "ragged_batch", "repeat", "shard", "shuffle", "skip", "take"}
)
_NAME = "kept"


class Split(NamedTuple):
    """`built`: what is built once, as it is written, and `after`: what comes after that; `chosen_by`: names that are in
    that alone."""

    built: str
    after: str
    chosen_by: frozenset[str]
    code: str


def split_line(traces: Sequence[Traced]) -> Split | None:
    """None where they come of several lines, or nothing comes after the function but what is the same each time."""
    stacks = {builders(trace): method_that_builds(trace) for trace in traces}
    if len(stacks) != 1 or not (stack := next(iter(stacks))):
        return None
    line, method = source_line(stack[0]), stacks[stack]
    tree = parsed(line)
    statement = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if isinstance(statement, ast.FunctionDef) and len(statement.body) == 1:  # all of it in its line
        statement = statement.body[0]
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return | ast.For | ast.Expr):
        return None
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and _name(node) == method]
    chains = [[call, *_after(statement, call)] for call in calls]
    chain = max(chains, key=len, default=[])
    if not chain or any(call not in chain for call in calls):  # of two datasets which it is is not known
        return None
    last = max(i for i, call in enumerate(chain) if call in calls or _name(call) not in _NO_FUNCTION)
    inner, after = ast.get_source_segment(line, chain[last]), chain[last + 1 :]
    names = {name for call in after for each in _given(call) for name in chosen_by(each, computed=True)}
    if not inner or all(name.isupper() for name in names):
        return None
    if any(isinstance(node, ast.Name) and node.id == _NAME for node in ast.walk(statement)):
        return None
    whole = ast.get_source_segment(line, after[-1]) or ""
    rest = line.replace(inner, _NAME, 1)
    code = f"{_NAME} = {inner}  # once, before the loop\n{rest}  # in its place, each time"
    before = {node.id for node in ast.walk(chain[last]) if isinstance(node, ast.Name)}
    return Split(inner, whole[whole.find(inner) + len(inner) :].lstrip(), frozenset(names - before), code)


def _after(statement: ast.stmt, call: ast.Call) -> list[ast.Call]:
    """The calls of its chain that come after it, in their order."""
    above = {
        id(node.func.value): node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    found: list[ast.Call] = []
    at: ast.AST = call
    while (outer := above.get(id(at))) is not None:
        found.append(outer)
        at = outer
    return found


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
