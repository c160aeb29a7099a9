"""Tests in a function's source, and what is not come to where they hold, and where they do not; of a loop `len(…)` of
what it goes through."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
#: A test, and what is not come to where it holds, and where it does not.
Choice = tuple[ast.expr, Sequence[ast.AST], Sequence[ast.AST]]


def choices_in(tree: ast.AST) -> Iterator[Choice]:
    yield from _of_expressions(tree)
    yield from _of_statements([tree], [])


def _of_expressions(tree: ast.AST) -> Iterator[Choice]:
    """In expressions: `a if on else b`, and what `and` and `or` do not come to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            yield node.test, [node.orelse], [node.body]
        elif isinstance(node, ast.BoolOp):
            for place, one in enumerate(node.values[:-1]):
                rest = node.values[place + 1 :]
                yield (one, rest, []) if isinstance(node.op, ast.Or) else (one, [], rest)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            first, *others = node.generators
            made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            yield _length(first.iter), [], [*made, *first.ifs, *others]


def _of_statements(statements: Sequence[ast.AST], after: Sequence[ast.AST]) -> Iterator[Choice]:
    """`after`: what follows them where none of them leaves."""
    for place, one in enumerate(statements):
        rest = [*statements[place + 1 :], *after]
        if isinstance(one, ast.Match):
            one = _as_if(one)
        if isinstance(one, ast.If):
            if_true = [*one.orelse, *(rest if _leaves(one.body) else [])]
            yield one.test, if_true, [*one.body, *(rest if _leaves(one.orelse) else [])]
            yield from _of_statements(one.body, rest)
            yield from _of_statements(one.orelse, rest)
        else:
            if isinstance(one, ast.While):
                yield one.test, [], one.body
            elif isinstance(one, ast.For):
                yield _length(one.iter), [], one.body
            # in a loop, a `try` or a function what follows may be come to all the same
            for field in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(one, field, None)
                if isinstance(inner, list):
                    yield from _of_statements(inner, rest if isinstance(one, ast.With) else [])


def _length(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("len", ast.Load()), [node], [])


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _LEAVES) or (isinstance(last, ast.With) and _leaves(last.body))


def _as_if(match: ast.Match) -> ast.stmt:
    """The same, as far as its cases compare with plain values; what else they do is a test of nothing known."""
    orelse: list[ast.stmt] = []
    subject = copy.deepcopy(match.subject)
    for node in ast.walk(subject):
        if isinstance(node, ast.expr):
            node.lineno = -1  # it is read once, before all cases
    for case in reversed(match.cases):
        test = _as_test(subject, case.pattern)
        if case.guard is not None:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        orelse = [ast.If(test, case.body, orelse)]
    return orelse[0]


def _as_test(subject: ast.expr, pattern: ast.pattern) -> ast.expr:
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(subject, [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchOr):
        return ast.BoolOp(ast.Or(), [_as_test(subject, one) for one in pattern.patterns])
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return ast.Constant(True)
    return ast.Constant(...)
