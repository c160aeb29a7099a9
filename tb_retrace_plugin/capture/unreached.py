"""What a function's source reads only where it did not come: behind an `if` of Python values that are known."""

from __future__ import annotations

import ast
import collections
import copy
import enum
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.by_code import ByCode
from tb_retrace_plugin.capture.code_names import Name
from tb_retrace_plugin.capture.source_tree import source_tree
from tb_retrace_plugin.capture.static_attribute import MISSING, in_class

_UNKNOWN = object()
#: Whose comparison and truth are Python's own.
_TYPES = (bool, int, float, str, bytes, type(None))
_COMPARES: Mapping[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda one, several: one in several, ast.NotIn: lambda one, several: one not in several,
}  # fmt: skip
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LIBRARIES = ("tf.", "np.", "keras.")
_LISTS = (ast.Tuple, ast.List, ast.Set)
#: Of one function, that are remembered.
_MAX_WAYS = 64
#: What is read, and where.
_Place = tuple[str, int, int]
#: Of the values of names: that of a test, or _UNKNOWN.
_Test = Callable[[Mapping[str, Any]], Any]


class _Branch(NamedTuple):
    """Of an `if`: what is left out where the test is true, and where it is not."""

    test: _Test
    if_true: frozenset[_Place]
    if_false: frozenset[_Place]


class _Call(NamedTuple):
    """What a call passes, as far as it can be known; `is_open`: and something by `*` or `**`."""

    positional: tuple[_Test | None, ...]
    by_name: Mapping[str, _Test | None]
    is_open: bool


class Tests(NamedTuple):
    """`asked`: names in tests and in calls, as they are written, by the id of the name that the code loads.
    `of_parameters`: what is asked there of the function's own parameters: `training`, `x.shape.rank`, `len(x.shape)`.

    `handled`: what lies behind an `except`: whether it came to that is not known. `by_ways`: what was found.
    """

    by_ways: dict[tuple[bool | None, ...], set[str]]
    branches: tuple[_Branch, ...] = ()
    handled: frozenset[_Place] = frozenset()
    places: frozenset[_Place] = frozenset()
    asked: Mapping[int, str] = {}
    of_parameters: frozenset[str] = frozenset()
    calls: Mapping[str, tuple[_Call, ...]] = {}


NO_TESTS = Tests({})
_known: ByCode[Tests] = ByCode()


def tests_of(code: CodeType, names: Sequence[Name]) -> Tests:
    """`names`: what the code loads, which is kept as long as that is: by their values it is told what is unreached."""
    tests = _known.get(code)
    return _known.put(code, _read(code, names)) if tests is None else tests


def asks_in_tests(code: CodeType) -> bool:
    """Whether something in it may be left out; False where that was not asked for before."""
    return bool((_known.get(code) or NO_TESTS).branches)


def unreached(tests: Tests, values: Mapping[str, Any]) -> set[str]:
    """Names as they are written (`self.rate`) that are read in nothing but branches that were not taken.

    `values`: of names, at the time. A test of anything else, such as of a tensor, leaves both ways open.
    """
    taken = tuple([_way(branch.test(values)) for branch in tests.branches])
    found = tests.by_ways.get(taken)
    if found is None:
        dead: set[_Place] = set(tests.handled)
        for branch, way in zip(tests.branches, taken, strict=True):
            if way is not None:
                dead |= branch.if_true if way else branch.if_false
        found = {text for text, _, _ in dead}.difference(text for text, _, _ in tests.places - dead) if dead else set()
        if len(tests.by_ways) < _MAX_WAYS:
            tests.by_ways[taken] = found
    return found


def _way(value: Any) -> bool | None:
    return None if value is _UNKNOWN else bool(value)


def passes(tests: Tests, text: str, parameter: str, place: int) -> bool:
    """Whether a call of what is called as `text` may pass something by that parameter, which is at that place."""
    calls = tests.calls.get(text, ())
    return any(call.is_open or parameter in call.by_name or 0 <= place < len(call.positional) for call in calls)


def passed_to(
    tests: Tests, text: str, values: Mapping[str, Any], parameters: Sequence[str], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Plain values that what is called as `text` is passed by its parameters: those that are one in all calls of it."""
    found: dict[str, Any] = {}
    for place, call in enumerate(tests.calls.get(text, ())):
        tried = [*zip(parameters, call.positional, strict=False), *call.by_name.items()]
        passed = {name: _UNKNOWN if test is None else test(values) for name, test in tried}
        known = {} if call.is_open else {name: _plain(passed.get(name, value)) for name, value in defaults.items()}
        known.update(passed)
        known = {name: value for name, value in known.items() if value is not _UNKNOWN and not call.is_open}
        found = known if not place else {name: one for name, one in found.items() if _is_the_same(known, name, one)}
    return found


def _is_the_same(known: Mapping[str, Any], name: str, value: Any) -> bool:
    other = known.get(name, _UNKNOWN)
    return type(other) is type(value) and bool(other == value)


def parameters_of(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def parameter_in(text: str) -> str:
    """`x` of what is asked of it: `x`, `x.shape[0]`, `len(x.shape)`."""
    return re.split(r"\W", text.removeprefix("len("), maxsplit=1)[0]


def _read(code: CodeType, names: Sequence[Name]) -> Tests:
    source = source_tree(code)
    if source is None:
        return NO_TESTS
    try:
        compiler, places = _Compiler(source.tree), _Places()
        everything = places.within(source.tree)
        handlers = [one for node in ast.walk(source.tree) if isinstance(node, ast.ExceptHandler) for one in node.body]
        named = collections.Counter(text for text, _, _ in everything)
        calls = _calls(source.tree, compiler)
        calls = {text: found for text, found in calls.items() if len(found) == named[text]}  # else others may call it
        choices = [
            (test, asked, if_true, if_false)
            for node, if_true, if_false in [*_choices(source.tree), *_of_statements([source.tree], [])]
            for test, asked in [compiler.compiled_and_asked(node)]
            if test is not None
        ]
        by_id = {id(name): text for name in names if (text := name.text) in compiler.asked}
        own = set(parameters_of(code))
        of_parameters = frozenset(text for text in compiler.asked if parameter_in(text) in own)
        known = of_parameters.union(by_id.values())
        branches = tuple(
            _Branch(test, places.of(if_true), places.of(if_false))
            for test, asked, if_true, if_false in choices
            if not asked or not known.isdisjoint(asked)
        )
        if not handlers and not branches and not calls:
            return NO_TESTS
        return Tests({}, branches, places.of(handlers), everything, by_id, of_parameters, calls)
    except RecursionError:
        return NO_TESTS


def _names_within(tree: ast.AST) -> Iterator[str]:
    """What is another thing in functions that are made in it, and in comprehensions: their own variables."""
    outermost = next((node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)), None)
    for inner in ast.walk(tree):
        if isinstance(inner, _FUNCTIONS + _COMPREHENSIONS) and inner is not outermost:
            for node in ast.walk(inner):
                if isinstance(node, ast.arg):
                    yield node.arg
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id


def _calls(tree: ast.AST, compiler: _Compiler) -> dict[str, tuple[_Call, ...]]:
    """By what is called, as it is written: what may be a function of the user's, and is passed something."""
    found: dict[str, list[_Call]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        text = ast.unparse(node.func)
        if text.startswith(_LIBRARIES):
            continue
        positional = tuple(compiler.compiled(one) for one in node.args)
        by_name = {one.arg: compiler.compiled(one.value) for one in node.keywords if one.arg is not None}
        is_open = any(isinstance(one, ast.Starred) for one in node.args) or any(
            one.arg is None for one in node.keywords
        )
        found.setdefault(text, []).append(_Call(positional, by_name, is_open))
    return {text: tuple(calls) for text, calls in found.items()}


#: A test, and what is not come to where it holds, and where it does not.
_Choice = tuple[ast.expr, Sequence[ast.AST], Sequence[ast.AST]]


def _choices(tree: ast.AST) -> Iterator[_Choice]:
    """In expressions: `a if on else b`, and what `and` and `or` do not come to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            yield node.test, [node.orelse], [node.body]
        elif isinstance(node, ast.BoolOp):
            for place, one in enumerate(node.values[:-1]):
                rest = node.values[place + 1 :]
                yield (one, rest, []) if isinstance(node.op, ast.Or) else (one, [], rest)


def _of_statements(statements: Sequence[ast.AST], after: Sequence[ast.AST]) -> Iterator[_Choice]:
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
        else:  # in a loop, a `try` or a function what follows may be come to all the same
            for field in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(one, field, None)
                if isinstance(inner, list):
                    yield from _of_statements(inner, rest if isinstance(one, ast.With) else [])


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


class _Places:
    """Of names and what follows them: each is written out once, however many branches it lies in."""

    def __init__(self) -> None:
        self._within: dict[int, tuple[ast.AST, frozenset[_Place]]] = {}

    def of(self, nodes: Iterable[ast.AST]) -> frozenset[_Place]:
        return frozenset().union(*map(self.within, nodes))

    def within(self, node: ast.AST) -> frozenset[_Place]:
        known = self._within.get(id(node))
        if known is None:
            found = self.of(ast.iter_child_nodes(node))
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
                found |= {(ast.unparse(node), node.lineno, node.col_offset)}
            known = self._within[id(node)] = node, found
        return known[1]


class _Compiler:
    """Makes functions of the values of names. `asked`: the names, as they are written."""

    def __init__(self, tree: ast.AST) -> None:
        self.asked: set[str] = set()
        self._hidden = set(_names_within(tree))
        self._aliases = assigned_once(tree)

    def compiled_and_asked(self, node: ast.expr) -> tuple[_Test | None, set[str]]:
        before, self.asked = self.asked, set()
        compiled, asked = self.compiled(node), self.asked
        self.asked = before | asked
        return compiled, asked

    def compiled(self, node: ast.expr) -> _Test | None:
        """None of what is never known."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        return self._compiled(node, ()) if self._hidden.isdisjoint(names) else None

    def _compiled(self, node: ast.expr, within: tuple[str, ...]) -> _Test | None:
        """`within`: local variables that it is the value of."""
        if isinstance(node, ast.Constant):
            value = node.value if isinstance(node.value, _TYPES) else _UNKNOWN
            return lambda values: value
        if isinstance(node, ast.NamedExpr):
            return self._compiled(node.value, within)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._compiled(node.operand, within)
            return None if inner is None else lambda values: _not(inner(values))
        if isinstance(node, ast.BoolOp):
            several = [test for one in node.values if (test := self._compiled(one, within)) is not None]
            open_ones, is_or = len(several) < len(node.values), isinstance(node.op, ast.Or)
            if not several:
                return None
            return lambda values: _of_several([test(values) for test in several], is_or, open_ones)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARES:
            left, right = self._compiled(node.left, within), self._side(node.ops[0], node.comparators[0], within)
            compare = _COMPARES[type(node.ops[0])]
            if left is None or right is None:
                return None
            return lambda values: _compared(compare, left(values), right(values))
        if isinstance(node, ast.Name) and node.id in self._aliases and node.id not in within:
            return self._compiled(self._aliases[node.id], (*within, node.id))
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            name = ast.unparse(node)
            self.asked.add(name)
            return lambda values: _plain(values.get(name, _UNKNOWN))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and len(node.args) == 1:
            length = f"len({ast.unparse(node.args[0])})"
            self.asked.add(length)
            return lambda values: _plain(values.get(length, _UNKNOWN))
        return None

    def _side(self, compares: ast.cmpop, node: ast.expr, within: tuple[str, ...]) -> _Test | None:
        """What is compared with; `in` with what is written out."""
        if not isinstance(compares, ast.In | ast.NotIn):
            return self._compiled(node, within)
        if not isinstance(node, _LISTS):
            return None
        items = [self._compiled(one, within) for one in node.elts]
        tests = [test for test in items if test is not None]
        return None if len(tests) < len(items) else lambda values: _all_known([test(values) for test in tests])


def assigned_once(tree: ast.AST) -> dict[str, ast.expr]:
    """Local variables that are given one thing in all of the source: `mode = self.mode`."""
    given = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    times = collections.Counter(
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    )
    others = {name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return {name: value for name, value in given.items() if times[name] == 1 and name not in others}


def _plain(value: Any) -> Any:
    kind = type(value)
    return value if kind in _TYPES or (issubclass(kind, enum.Enum) and _is_only_itself(kind)) else _UNKNOWN


def _is_only_itself(kind: type) -> bool:
    """Whether a member is compared by which one it is, and is true: neither is the user's to say."""
    return in_class(kind, "__eq__") is object.__eq__ and in_class(kind, "__bool__") is MISSING is in_class(
        kind, "__len__"
    )


def _all_known(values: list[Any]) -> Any:
    return _UNKNOWN if any(value is _UNKNOWN for value in values) else values


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
