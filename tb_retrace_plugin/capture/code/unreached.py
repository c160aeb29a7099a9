"""What a function's source reads only where it did not come: behind an `if` of Python values that are known."""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.code_names import CodeNames
from tb_retrace_plugin.capture.code.compiled_tests import MAY_GIVE_THE_SAME, UNKNOWN, Compiler, Test
from tb_retrace_plugin.capture.code.first_values import AT_FIRST, mark_first_values
from tb_retrace_plugin.capture.code.kept_unused import given_names
from tb_retrace_plugin.capture.code.only_said import names_said
from tb_retrace_plugin.capture.code.source_calls import Call, calls_in, calls_nothing_else
from tb_retrace_plugin.capture.code.source_choices import choices_in
from tb_retrace_plugin.capture.code.source_places import Place, Places
from tb_retrace_plugin.capture.code.source_tree import source_tree

#: Of one function, that are remembered.
_MAX_WAYS = 64
#: Which ways its tests took, and what is read to be said.
_Ways = tuple[tuple[bool | None, ...], frozenset[Place]]
#: Attributes of layers and models of Keras'.
_CALL_NOTHING = frozenset({
    *("losses", "metrics", "non_trainable_variables", "optimizer", "trainable_variables", "trainable_weights"),
    *("variables", "weights"),
})  # fmt: skip
#: Whose parts are values that nothing is called with.
_COMPUTE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign)
_NOWHERE: frozenset[Place] = frozenset()


class _Branch(NamedTuple):
    """Of an `if`: what is left out where the test is true, and where it is not."""

    test: Test
    if_true: frozenset[Place]
    if_false: frozenset[Place]


class Question(NamedTuple):
    """Of Python's values. `is_value`: what it gives is computed with; else whether it holds is all that is asked."""

    test: Test
    is_value: bool = False


class Left(NamedTuple):
    """Names as they are written (`self.rate`) that are read in nothing but branches that were not taken (`behind`), and
    in no more than these and questions (`only_asked`)."""

    behind: set[str]
    only_asked: set[str]


class Tests(NamedTuple):
    """`asked`: names in tests and in calls that the code loads, as they are written.
    `of_parameters`: what is asked there of the function's own parameters: `training`, `x.shape.rank`, `len(x.shape)`;
    of one that is given another value later as it is before that, as first_values.py marks it.

    `in_no_graph`: what lies behind an `except`: whether it came to that is not known; and what only decides whether
    something is raised, as of an `assert`, or is read to be said. `by_ways`: what was found. `questions`: by name,
    tests of `if`s, and what may give the same of other values (`max(a, b)`, `n // 8`, `n < 100`); `asking`: where these
    stand. `given`: where local names are read, with what they are given.
    """

    by_ways: dict[_Ways, Left]
    branches: tuple[_Branch, ...] = ()
    in_no_graph: frozenset[Place] = frozenset()
    places: frozenset[Place] = frozenset()
    asked: frozenset[str] = frozenset()
    of_parameters: frozenset[str] = frozenset()
    calls: Mapping[str, tuple[Call, ...]] = {}
    questions: Mapping[str, tuple[Question, ...]] = {}
    asking: frozenset[Place] = frozenset()
    given: Sequence[tuple[frozenset[Place], frozenset[Place]]] = ()


NO_TESTS = Tests({})
_known: ByCode[Tests] = ByCode()


def tests_of(code: CodeType, names: CodeNames) -> Tests:
    """`names`: what the code loads: by their values it is told what is unreached."""
    tests = _known.get(code)
    return _known.put(code, _read(code, names)) if tests is None else tests


def asks_in_tests(code: CodeType) -> bool:
    """Whether something in it may be left out; False where that was not asked for before."""
    return bool((_known.get(code) or NO_TESTS).branches)


def only_asked_by(code: CodeType, text: str) -> tuple[Question, ...]:
    """Tests of `if`s, and such, that alone read the name, if any do; () where that was not asked for before."""
    return (_known.get(code) or NO_TESTS).questions.get(text, ())


def unreached(tests: Tests, values: Mapping[str, Any], said: frozenset[Place] = _NOWHERE) -> Left:
    """`values`: of names, at the time. `said`: what is read to be said. A test of anything else, such as of a tensor,
    leaves both ways open.
    """
    taken = tuple([_way(branch.test(values)) for branch in tests.branches])
    found = tests.by_ways.get((taken, said))
    if found is None:
        dead: set[Place] = {*tests.in_no_graph, *said}
        for branch, way in zip(tests.branches, taken, strict=True):
            if way is not None:
                dead |= branch.if_true if way else branch.if_false
        _add_given(dead, tests.given)
        behind = {text for text, _, _ in dead}.difference(text for text, _, _ in tests.places - dead) if dead else set()
        asked = dead | tests.asking
        _add_given(asked, tests.given)
        found = Left(behind, {*tests.questions}.difference(text for text, _, _ in tests.places - asked))
        if len(tests.by_ways) < _MAX_WAYS:
            tests.by_ways[taken, said] = found
    return found


def _add_given(dead: set[Place], given: Sequence[tuple[frozenset[Place], frozenset[Place]]]) -> None:
    """What local names are given that are read there alone: `scale = self.scale` of `if training: x = x * scale`."""
    left = [*given] if dead else []
    while found := [one for one in left if one[0] <= dead]:
        dead.update(*(value for _, value in found))
        left = [one for one in left if one not in found]


def _way(value: Any) -> bool | None:
    return None if value is UNKNOWN else bool(value)


def parameters_of(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def parameter_in(text: str) -> str:
    """`x` of what is asked of it: `x`, `x.shape[0]`, `len(x.shape)`."""
    return re.split(r"\W", text.removeprefix("len("), maxsplit=1)[0]


def _questions(
    tree: ast.AST, question: Callable[[ast.expr], tuple[Test | None, set[str]]], places: Places
) -> tuple[dict[str, tuple[Question, ...]], frozenset[Place]]:
    """And where they stand. `question`: what a part asks, if that may be known, and of which names."""
    found: dict[str, list[Question]] = {}
    by_a_name: list[tuple[str, Question]] = []  # of what a local name is given, that they ask by that
    asking: set[Place] = set()

    def note(node: ast.expr, *, is_value: bool) -> bool:
        test, names = question(node)
        if test is not None:
            within = places.within(node)
            asking.update(within)
            there, one = {text for text, _, _ in within}, Question(test, is_value)
            for text in there:
                found.setdefault(text, []).append(one)
            by_a_name.extend((text, one) for text in names - there)
        return test is not None

    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.expr) and _may_give_the_same(node) and note(node, is_value=True):
            continue
        todo += ast.iter_child_nodes(node)
        asks = node.test if isinstance(node, ast.If | ast.IfExp) else None
        if asks is not None and not any(isinstance(part, ast.NamedExpr) for part in ast.walk(asks)):
            todo.remove(asks)
            todo += [part for part in _parts(asks, question) if not note(part, is_value=False)]
    besides = {text for text, _, _ in places.within(tree) - asking} if by_a_name else set()
    for text, one in by_a_name:
        if text in besides:
            found.setdefault(text, []).append(one)
    return {text: tuple(several) for text, several in found.items()}, frozenset(asking)


def _parts(asks: ast.expr, question: Callable[[ast.expr], tuple[Test | None, set[str]]]) -> Iterator[ast.expr]:
    """Of a test that is not known as a whole, each by itself: where all of them give the same, so does it."""
    if isinstance(asks, ast.BoolOp) and any(question(one)[0] is None for one in asks.values):
        for one in asks.values:
            yield from _parts(one, question)
    else:
        yield asks


def _may_give_the_same(node: ast.expr) -> bool:
    """Of other values."""
    if isinstance(node, ast.Compare):
        return not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))  # that is read by its name, too
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.FloorDiv | ast.Mod)
    return isinstance(node, ast.Call) and ast.unparse(node.func) in MAY_GIVE_THE_SAME


def _in_no_graph(node: ast.AST) -> Sequence[ast.AST]:
    if isinstance(node, ast.ExceptHandler):
        return node.body
    if isinstance(node, ast.If) and not node.orelse and all(isinstance(one, ast.Raise) for one in node.body):
        return [node] if calls_nothing_else(node.test) else []
    return []


def _asked_of(tree: ast.AST) -> frozenset[Place]:
    """`model` in `model.trainable_variables`, and in `model.beta * loss`: nothing calls it for that."""
    nodes = list(ast.walk(tree))
    computed_with = {id(part) for node in nodes if isinstance(node, _COMPUTE) for part in ast.iter_child_nodes(node)}
    computed_with |= {id(node.test) for node in nodes if isinstance(node, ast.If | ast.IfExp | ast.While)}
    return frozenset(
        (ast.unparse(node.value), node.value.lineno, node.value.col_offset)
        for node in nodes
        if isinstance(node, ast.Attribute) and (node.attr in _CALL_NOTHING or id(node) in computed_with)
    )


def _read(code: CodeType, names: CodeNames) -> Tests:
    source = source_tree(code)
    if source is None:
        return NO_TESTS
    try:
        mark_first_values(source.tree)
        compiler, places = Compiler(source.tree), Places()
        everything = places.within(source.tree)
        in_no_graph = places.of(part for node in ast.walk(source.tree) for part in _in_no_graph(node))
        named = collections.Counter(text for text, _, _ in everything - _asked_of(source.tree))
        calls = calls_in(source.tree, compiler, places)
        calls = {text: found for text, found in calls.items() if len(found) == named[text]}  # else others may call it
        choices = [
            (node, test, asked, if_true, if_false)
            for node, if_true, if_false in choices_in(source.tree)
            for test, asked in [compiler.compiled_and_asked(node)]
            if test is not None
        ]
        own, loaded = set(parameters_of(code)), {text for text, _ in names.by_text}

        def question(node: ast.expr) -> tuple[Test | None, set[str]]:
            test, asked = compiler.compiled_and_asked(node)
            first = {one for one in asked if AT_FIRST in one or parameter_in(one) not in names.reassigned}
            is_known = all(one in loaded or (one in first and parameter_in(one) in own) for one in asked)
            return (test if is_known else None), asked

        questions, asking = _questions(source.tree, question, places)
        of_names = compiler.asked.intersection(loaded)
        of_parameters = frozenset(text for text in compiler.asked if parameter_in(text) in own)
        known = of_parameters | of_names
        branches = tuple(
            _Branch(test, places.of(if_true), places.of(if_false))
            for _, test, asked, if_true, if_false in choices
            if not asked or not known.isdisjoint(asked)
        )
        if not in_no_graph and not branches and not calls and not questions:
            return NO_TESTS
        at = {(name.lineno, name.col_offset) for name in names_said(code)[1]}
        in_no_graph |= {place for place in everything if place[1:] in at}
        given = [(places.of(read), places.within(value)) for read, value in given_names(source.tree)]
        names_asked = frozenset(of_names), of_parameters
        return Tests({}, branches, in_no_graph, everything, *names_asked, calls, questions, asking, given)
    except RecursionError:
        return NO_TESTS
