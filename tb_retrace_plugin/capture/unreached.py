"""What a function's source reads only where it did not come: behind an `if` of Python values that are known."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.by_code import ByCode
from tb_retrace_plugin.capture.code_names import Name
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
#: Of the values of names: that of a test, or _UNKNOWN.
_Test = Callable[[Mapping[str, Any]], Any]


class _Branch(NamedTuple):
    """Of an `if`: what is left out where the test is true, and where it is not."""

    test: _Test
    if_true: frozenset[_Place]
    if_false: frozenset[_Place]


class _Source(NamedTuple):
    """`asked`: names in tests, as they are written, by the id of the name that the code loads. `of_arguments`: those
    of the code's own parameters, or of what such a one is asked for."""

    branches: tuple[_Branch, ...]
    places: frozenset[_Place]
    asked: Mapping[int, str]
    of_arguments: tuple[AskedArgument, ...] = ()


class AskedArgument(NamedTuple):
    """`text`: as it is written. `path`: what follows the parameter."""

    text: str
    parameter: str
    path: tuple[str | int, ...]


_NOTHING = _Source((), frozenset(), {})
_known: ByCode[_Source] = ByCode()


def asked_in_tests(code: CodeType, names: Sequence[Name]) -> Mapping[int, str]:
    """Of what the code loads, which is kept as long as that is: by id, the names whose values `unreached` goes by."""
    return _source(code, names).asked


def arguments_asked_in_tests(code: CodeType, names: Sequence[Name]) -> Sequence[AskedArgument]:
    """As `asked_in_tests`, of parameters, whether or not the code gives them another value."""
    return _source(code, names).of_arguments


def _source(code: CodeType, names: Sequence[Name]) -> _Source:
    source = _known.get(code)
    return _known.put(code, _read(code, names)) if source is None else source


def asks_in_tests(code: CodeType) -> bool:
    """Whether it asks anything of the kind; False where that was not asked for before."""
    return (_known.get(code) or _NOTHING) is not _NOTHING


def unreached(code: CodeType, values: Mapping[str, Any]) -> set[str]:
    """Names as they are written (`self.rate`) that are read in nothing but branches that were not taken.

    `values`: of names, at the time. A test of anything else, such as of a tensor, leaves both ways open.
    """
    source = _known.get(code) or _NOTHING
    dead: set[_Place] = set()
    for branch in source.branches:
        test = branch.test(values)
        if test is not _UNKNOWN:
            dead |= branch.if_true if test else branch.if_false
    return {text for text, _, _ in dead}.difference(text for text, _, _ in source.places - dead) if dead else set()


def _read(code: CodeType, names: Sequence[Name]) -> _Source:
    source = source_tree(code)
    if source is None:
        return _NOTHING
    try:
        hidden = set(_names_within(source.tree))
        asked: set[str] = set()
        branches = tuple(_branches(source.tree, hidden, asked))
        by_id = {id(name): text for name in names if (text := name.text) in asked}
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        of_arguments = tuple(one for text in sorted(asked) if (one := _asked_argument(text, parameters)) is not None)
        if not branches or not (by_id or of_arguments):
            return _NOTHING
        return _Source(branches, _places([source.tree]), by_id, of_arguments)
    except RecursionError:
        return _NOTHING


def _asked_argument(text: str, parameters: Sequence[str]) -> AskedArgument | None:
    """Of what is written as `training` or `x.shape[-1]`."""
    node: ast.expr = ast.parse(text, mode="eval").body
    path: list[str | int] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            path.append(node.attr)
        else:
            try:
                key = ast.literal_eval(node.slice)
            except ValueError:
                return None
            if type(key) not in (str, int):
                return None
            path.append(key)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in parameters:
        return None
    return AskedArgument(text, node.id, tuple(reversed(path)))


def _names_within(tree: ast.AST) -> Iterator[str]:
    """What is another thing in functions that are made in it, and in comprehensions: their own parameters and
    variables; and what such functions give another value."""
    outermost = next((node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)), None)
    for function in ast.walk(tree):
        if isinstance(function, ast.Nonlocal):
            yield from function.names
        elif isinstance(function, ast.comprehension):
            yield from (node.id for node in ast.walk(function.target) if isinstance(node, ast.Name))
        elif isinstance(function, _FUNCTIONS) and function is not outermost:
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    yield node.arg
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id


def _branches(tree: ast.AST, hidden: set[str], asked: set[str]) -> Iterator[_Branch]:
    for node in ast.walk(tree):
        found: list[tuple[ast.expr, list[ast.AST], list[ast.AST]]] = []
        if isinstance(node, ast.IfExp):
            found.append((node.test, [node.orelse], [node.body]))
        bodies = (getattr(node, field, None) for field in ("body", "orelse", "finalbody"))
        for statements in (body for body in bodies if isinstance(body, list)):
            for place, one in enumerate(statements):
                if isinstance(one, ast.If):
                    rest = statements[place + 1 :]
                    if_true = [*one.orelse, *(rest if _leaves(one.body) else [])]
                    found.append((one.test, if_true, [*one.body, *(rest if _leaves(one.orelse) else [])]))
        for test, if_true, if_false in found:
            names = {one.id for one in ast.walk(test) if isinstance(one, ast.Name)}
            if hidden.isdisjoint(names) and (compiled := _compiled(test, asked)) is not None:
                yield _Branch(compiled, _places(if_true), _places(if_false))


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], _LEAVES)


def _places(nodes: Iterable[ast.AST]) -> frozenset[_Place]:
    return frozenset(
        (ast.unparse(node), node.lineno, node.col_offset)
        for one in nodes
        for node in ast.walk(one)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    )


def _compiled(node: ast.expr, asked: set[str]) -> _Test | None:
    """A function of the values of names; None of what is never known. `asked`: it adds the names."""
    if isinstance(node, ast.Constant):
        value = node.value if isinstance(node.value, _TYPES) else _UNKNOWN
        return lambda values: value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _compiled(node.operand, asked)
        return None if inner is None else lambda values: _not(inner(values))
    if isinstance(node, ast.BoolOp):
        several = [test for one in node.values if (test := _compiled(one, asked)) is not None]
        open_ones, is_or = len(several) < len(node.values), isinstance(node.op, ast.Or)
        return (lambda values: _of_several([test(values) for test in several], is_or, open_ones)) if several else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARES:
        left, right = _compiled(node.left, asked), _compiled(node.comparators[0], asked)
        compare = _COMPARES[type(node.ops[0])]
        if left is None or right is None:
            return None
        return lambda values: _compared(compare, left(values), right(values))
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        name = ast.unparse(node)
        asked.add(name)
        return lambda values: _plain(values.get(name, _UNKNOWN))
    return None


def _plain(value: Any) -> Any:
    return value if type(value) in _TYPES else _UNKNOWN


def _not(value: Any) -> Any:
    return value if value is _UNKNOWN else not value


def _compared(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    try:
        return compare(left, right)
    except TypeError:
        return _UNKNOWN


def _of_several(found: Sequence[Any], is_or: bool, open_ones: bool) -> Any:
    """One that is known may decide for all: only whether they hold is asked for."""
    if any(one is not _UNKNOWN and bool(one) == is_or for one in found):
        return is_or
    return _UNKNOWN if open_ones or any(one is _UNKNOWN for one in found) else not is_or
