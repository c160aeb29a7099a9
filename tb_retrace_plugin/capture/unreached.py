"""What a function's source reads only where it did not come: behind an `if` of Python values that are known."""

from __future__ import annotations

import ast
import operator
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.source_tree import source_tree

_UNKNOWN = object()
#: Whose comparison and truth are Python's own.
_TYPES = (bool, int, float, str, bytes, type(None))
_COMPARES: Mapping[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_LEAVES = (ast.Return, ast.Raise)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: What is read, and where.
_Place = tuple[str, int, int]


class _Branch(NamedTuple):
    """Of an `if`: what is left out where the test is true, and where it is not."""

    test: ast.expr
    if_true: frozenset[_Place]
    if_false: frozenset[_Place]


class _Source(NamedTuple):
    branches: tuple[_Branch, ...]
    places: frozenset[_Place]


_NOTHING = _Source((), frozenset())
_known: weakref.WeakKeyDictionary[CodeType, _Source] = weakref.WeakKeyDictionary()


def unreached(code: CodeType, read: Iterable[tuple[str, Any]]) -> set[str]:
    """Names as they are written (`self.rate`) that are read in nothing but branches that were not taken.

    `read`: names with their values at the time. A test of anything else, such as of a tensor or an argument, leaves
    both ways open.
    """
    source = _known.get(code)
    if source is None:
        source = _known[code] = _read(code)
    if not source.branches:
        return set()
    values, dead = dict(read), set[_Place]()
    for branch in source.branches:
        test = _value(branch.test, values)
        if test is not _UNKNOWN:
            dead |= branch.if_true if test else branch.if_false
    return {text for text, _, _ in dead}.difference(text for text, _, _ in source.places - dead) if dead else set()


def _read(code: CodeType) -> _Source:
    source = source_tree(code)
    if source is None:
        return _NOTHING
    try:
        hidden = set(_names_within(source.tree))
        branches = tuple(b for b in _branches(source.tree) if hidden.isdisjoint(_names(b.test)))
        return _Source(branches, _places([source.tree])) if branches else _NOTHING
    except RecursionError:
        return _NOTHING


def _names_within(tree: ast.AST) -> Iterator[str]:
    """What is another thing in functions that are made in it: their own parameters and variables."""
    outermost = next((node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)), None)
    for function in ast.walk(tree):
        if isinstance(function, _FUNCTIONS) and function is not outermost:
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    yield node.arg
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _branches(tree: ast.AST) -> Iterator[_Branch]:
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            yield _Branch(node.test, _places([node.orelse]), _places([node.body]))
        for statements in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if not isinstance(statements, list):
                continue
            for place, statement in enumerate(statements):
                if isinstance(statement, ast.If):
                    rest = statements[place + 1 :]
                    yield _Branch(
                        statement.test,
                        _places([*statement.orelse, *(rest if _leaves(statement.body) else [])]),
                        _places([*statement.body, *(rest if _leaves(statement.orelse) else [])]),
                    )


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], _LEAVES)


def _places(nodes: Iterable[ast.AST]) -> frozenset[_Place]:
    return frozenset(
        (ast.unparse(node), node.lineno, node.col_offset)
        for one in nodes
        for node in ast.walk(one)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, _TYPES) else _UNKNOWN
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _value(node.operand, values)
        return inner if inner is _UNKNOWN else not inner
    if isinstance(node, ast.BoolOp):
        return _of_several([_value(one, values) for one in node.values], isinstance(node.op, ast.Or))
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARES:
        pair = [_value(one, values) for one in (node.left, node.comparators[0])]
        if _UNKNOWN in pair:
            return _UNKNOWN
        try:
            return _COMPARES[type(node.ops[0])](*pair)
        except TypeError:
            return _UNKNOWN
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        value = values.get(ast.unparse(node), _UNKNOWN)
        return value if type(value) in _TYPES else _UNKNOWN
    return _UNKNOWN


def _of_several(found: Sequence[Any], is_or: bool) -> Any:
    """One that is known may decide for all: only whether they hold is asked for."""
    if any(one is not _UNKNOWN and bool(one) == is_or for one in found):
        return is_or
    return _UNKNOWN if _UNKNOWN in found else not is_or
