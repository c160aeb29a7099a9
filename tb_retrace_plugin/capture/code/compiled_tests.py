"""Tests in a function's source as functions of the values of names, as far as Python alone says what they give."""

from __future__ import annotations

import ast
import enum
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.code.first_values import AT_FIRST, is_at_first
from tb_retrace_plugin.capture.code.local_variables import assigned_once, named_within
from tb_retrace_plugin.capture.code.source_places import item_asked
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

UNKNOWN = object()
#: Whose comparison and truth are Python's own.
_TYPES = (bool, int, float, str, bytes, type(None))
#: Of NumPy's, that compare as Python's own do, which those of fewer digits do not.
_OF_NUMPY = (np.bool_, np.integer, np.float64)
_COMPARES: Mapping[type, Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda one, several: one in several, ast.NotIn: lambda one, several: one not in several,
}  # fmt: skip
_BY_IDENTITY = (operator.is_, operator.is_not)
_COMPUTES: Mapping[type, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_NUMBERS = (bool, int, float)
#: By name, what Python computes of numbers.
_OF_NUMBERS: Mapping[str, Any] = {
    **{one.__name__: one for one in (abs, bool, float, int, max, min, round)},
    **{f"math.{one.__name__}": one for one in (math.ceil, math.floor)},
    **{f"np.{one.__name__}": one for one in (np.clip, np.maximum, np.minimum)},
}
#: By name, methods of texts that give a text, or whether it is one.
_OF_TEXTS: Mapping[str, Any] = {
    one.__name__: one for one in (str.endswith, str.lower, str.lstrip, str.rstrip, str.startswith, str.strip, str.upper)
}
#: What these give of one value they may give of another.
MAY_GIVE_THE_SAME = frozenset({*_OF_NUMBERS, "isinstance", "len"}) - {"float"}
_KINDS: Mapping[str, type] = {kind.__name__: kind for kind in (bool, bytes, dict, float, int, list, str, tuple)}
_LISTS = (ast.Tuple, ast.List, ast.Set)
#: Whose length is Python's own; what the code fills or empties itself was another one before.
COUNTED = frozenset({list, tuple, dict, set, frozenset, range})
#: Calls through which something else is gone through as often.
_AS_LONG = frozenset({"enumerate", "iter", "list", "reversed", "sorted", "tuple"})
_VIEWS = frozenset({"items", "keys", "values"})
#: Of the values of names: that of a test, or UNKNOWN.
Test = Callable[[Mapping[str, Any]], Any]


class Compiler:
    """Makes functions of the values of names. `asked`: the names, as they are written."""

    def __init__(self, tree: ast.AST) -> None:
        self.asked: set[str] = set()
        self._hidden = set(named_within(tree))
        self._aliases = assigned_once(tree)

    def compiled_and_asked(self, node: ast.expr) -> tuple[Test | None, set[str]]:
        before, self.asked = self.asked, set()
        compiled, asked = self.compiled(node), self.asked
        self.asked = before | asked
        return compiled, asked

    def compiled(self, node: ast.expr) -> Test | None:
        """None of what is never known."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        return self._compiled(node, ()) if self._hidden.isdisjoint(names) else None

    def _compiled(self, node: ast.expr, within: tuple[str, ...]) -> Test | None:
        """`within`: local variables that it is the value of."""
        if isinstance(node, ast.Constant):
            value = node.value if isinstance(node.value, _TYPES) else UNKNOWN
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
        if isinstance(node, ast.Compare) and all(type(one) in _COMPARES for one in node.ops):
            sides = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
            pairs = [test for left, one, right in sides if (test := self._pair(left, one, right, within)) is not None]
            if len(pairs) < len(node.ops):
                return None
            return (
                pairs[0]
                if len(pairs) == 1
                else lambda values: _of_several([test(values) for test in pairs], False, False)
            )
        if isinstance(node, ast.Name) and node.id in self._aliases and node.id not in within:
            return self._compiled(self._aliases[node.id], (*within, node.id))
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            name = _name_of(node)
            self.asked.add(name)
            return lambda values: plain_or_unknown(values.get(name, UNKNOWN))
        if isinstance(node, ast.Call) and (item := item_asked(node)):
            self.asked.add(item)
            return lambda values: plain_or_unknown(values.get(item, UNKNOWN))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_TEXTS:
            parts = [node.func.value, *node.args]
            return None if node.keywords else self._computed(_OF_TEXTS[node.func.attr], parts, within, (str,))
        if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTES:
            compute = _COMPUTES[type(node.op)]
            return self._computed(lambda one, other: compute(one, other), [node.left, node.right], within)
        if isinstance(node, ast.Call) and not node.keywords:
            called = ast.unparse(node.func)
            if called == "len" and len(node.args) == 1:
                return self._length(node.args[0], within)
            if called == "isinstance" and len(node.args) == 2:
                return self._is_one(node.args[0], node.args[1], within)
            if called in _OF_NUMBERS and node.args:
                return self._computed(_OF_NUMBERS[called], node.args, within)
        return None

    def _computed(
        self, compute: Callable[..., Any], parts: Sequence[ast.expr], within: tuple[str, ...],
        kinds: tuple[type, ...] = _NUMBERS,
    ) -> Test | None:  # fmt: skip
        tests = [test for one in parts if (test := self._compiled(one, within)) is not None]
        if len(tests) < len(parts):
            return None
        return lambda values: _computed_of(compute, [test(values) for test in tests], kinds)

    def _is_one(self, node: ast.expr, of: ast.expr, within: tuple[str, ...]) -> Test | None:
        kinds = [ast.unparse(one) for one in (of.elts if isinstance(of, ast.Tuple) else [of])]
        test = self._compiled(node, within)
        if test is None or not _KINDS.keys() >= {*kinds}:
            return None
        known = tuple(_KINDS[kind] for kind in kinds)
        return lambda values: UNKNOWN if (value := test(values)) is UNKNOWN else isinstance(value, known)

    def _length(self, node: ast.expr, within: tuple[str, ...]) -> Test | None:
        """Of a tensor's shape it is asked for as such; of what Python itself goes through it is counted."""
        if isinstance(node, ast.Call):
            called, arguments = ast.unparse(node.func), node.args
            if called == "range" and not node.keywords:
                ends = [self._compiled(one, within) for one in arguments]
                tests = [test for test in ends if test is not None]
                return None if len(tests) < len(ends) else lambda values: _range([test(values) for test in tests])
            if called in _AS_LONG and arguments:
                return self._length(arguments[0], within)
            if isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS and not arguments:
                return self._length(node.func.value, within)
            return None
        if isinstance(node, ast.Name) and node.id in self._aliases and node.id not in within:
            return self._length(self._aliases[node.id], (*within, node.id))
        if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            return None
        name = _name_of(node)
        length = f"len({name})"
        self.asked |= {name, length}
        return lambda values: plain_or_unknown(values[length]) if length in values else _count(values.get(name))

    def _pair(self, one: ast.expr, compares: ast.cmpop, other: ast.expr, within: tuple[str, ...]) -> Test | None:
        left, right = self._compiled(one, within), self._side(compares, other, within)
        compare = _COMPARES[type(compares)]
        if left is None or right is None:
            return None
        return lambda values: _compared(compare, left(values), right(values))

    def _side(self, compares: ast.cmpop, node: ast.expr, within: tuple[str, ...]) -> Test | None:
        """What is compared with; `in` with what is written out."""
        if not isinstance(compares, ast.In | ast.NotIn):
            return self._compiled(node, within)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):  # `"net" in self.name`
            return self._compiled(node, within)
        if not isinstance(node, _LISTS):
            return None
        items = [self._compiled(one, within) for one in node.elts]
        tests = [test for test in items if test is not None]
        return None if len(tests) < len(items) else lambda values: _all_known([test(values) for test in tests])


def _name_of(node: ast.expr) -> str:
    return f"{ast.unparse(node)}{AT_FIRST if is_at_first(node) else ''}"


def plain_or_unknown(value: Any) -> Any:
    kind = type(value)
    is_plain = kind in _TYPES or (issubclass(kind, _OF_NUMPY) and kind.__module__ == np.__name__)
    return value if is_plain or (issubclass(kind, enum.Enum) and is_only_itself(kind)) else UNKNOWN


def is_only_itself(kind: type) -> bool:
    """Whether a member is compared by which one it is, and is true: neither is the user's to say."""
    return in_class(kind, "__eq__") is object.__eq__ and in_class(kind, "__bool__") is MISSING is in_class(
        kind, "__len__"
    )


def _all_known(values: list[Any]) -> Any:
    return UNKNOWN if any(value is UNKNOWN for value in values) else values


def _count(value: Any) -> Any:
    return len(value) if type(value) in COUNTED else UNKNOWN


def _range(ends: list[Any]) -> Any:
    try:
        return UNKNOWN if any(type(one) is not int for one in ends) else len(range(*ends))
    except (TypeError, ValueError, OverflowError):
        return UNKNOWN


def _computed_of(compute: Callable[..., Any], parts: list[Any], kinds: tuple[type, ...]) -> Any:
    if not all(type(one) in kinds for one in parts):
        return UNKNOWN
    try:
        return compute(*parts)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN


def _not(value: Any) -> Any:
    return value if value is UNKNOWN else not value


def _compared(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    if compare not in _BY_IDENTITY:  # of `n is True` NumPy's own bool is another object
        left, right = _pythons(left), [*map(_pythons, right)] if type(right) is list else _pythons(right)
    try:
        return compare(left, right)
    except TypeError:
        return UNKNOWN


def _pythons(value: Any) -> Any:
    return value.item() if isinstance(value, _OF_NUMPY) else value


def _of_several(found: Sequence[Any], is_or: bool, open_ones: bool) -> Any:
    """One that is known may decide for all: only whether they hold is asked for."""
    if any(one is not UNKNOWN and bool(one) == is_or for one in found):
        return is_or
    return UNKNOWN if open_ones or any(one is UNKNOWN for one in found) else not is_or
