"""Where Python's whole numbers meet fractions, or are divided: a tensor of whole numbers fails there, or is of float64.

Python computes `8 * 0.5` and `8 / 2` of any numbers, and compares `8 < 0.5`; TensorFlow does the first and the last of
no int32, and computes the second as float64.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.source_tree import assigned_once, lies_in
from tb_retrace_plugin.capture.code.written_shapes import is_shape

WITH_FRACTIONS = " with fractions"
_STAY = frozenset({"int", "abs"})
_COMPARED = " compared"
_WITH_WHOLE_ONES = " with whole numbers"
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_CONSTANTS = frozenset(f"{module}.{name}" for module in ("math", "np", "numpy") for name in ("pi", "e", "inf", "tau"))
#: What gives tensors of fractions of whatever it is given, unless its `dtype` is another.
_OF_FRACTIONS = re.compile(
    r"(?:tf|tensorflow)\.(?:(?:math\.)?(?:exp|log|log1p|sqrt|rsqrt|sin|cos|tan|tanh|sigmoid|erf|softplus)|linspace"
    r"|nn\.(?:log_)?softmax|random\.(?:stateless_)?(?:normal|uniform|truncated_normal))"
)
#: Of `tf.random.uniform(shape, 0, 9, tf.int32)`.
_MOST_BEFORE_A_DTYPE = 4
_CASTS = frozenset({"tf.cast", "tensorflow.cast"})
_DTYPE = re.compile(r"""(?:tf\.|np\.|['"])(?:b?float)\d+['"]?""")
#: Names in a name's place, at most.
_DEEPEST = 8
_MOST_OF_ONE = 3


class _Kind(Enum):
    WHOLE = "a whole number that is an argument, or is computed of one"
    INT = "a whole number that is written there"
    FLOAT = "a fraction"
    UNKNOWN = "anything else"


class _Computed(NamedTuple):
    """`names`: of arguments that it is computed of. `written`: with these in the place of local names."""

    kind: _Kind
    names: tuple[str, ...] = ()
    written: ast.expr | None = None


def with_fractions(tree: ast.AST, parameters: set[str], around: Mapping[str, Any]) -> list[str]:
    """`n * 8.0 with fractions`, `n / 2 with fractions`, and `gamma ** n with gamma`, which is one if that is a
    fraction or a tensor of such, or `n / k divided with k`, if that is a number; `n < 0.5 compared with fractions`; the
    first ones of each number. Not `float(n) * 8.0`. `grads[0] / n with another`, and so of `self.gamma ** n` and
    `self.rate * n`: of what that is nothing is known.
    `tf.exp(x) / n with fractions`, too. `n - 1 with whole numbers`, which a tensor computes as well."""
    reader = _Reader(tree, parameters, around)
    found: dict[tuple[str, ...], list[str]] = {}
    for node in ast.walk(tree):
        told = reader.told(node) if isinstance(node, ast.BinOp) else ()
        for names, text in reader.compared(node) if isinstance(node, ast.Compare) else told:
            found.setdefault(names, []).append(text)
    ordered = sorted(found, key=lambda names: (names[-1] != "", names[-1] in "?#"))  # what is certain first
    return list(dict.fromkeys(text for names in ordered for text in found[names][:_MOST_OF_ONE]))


class _Reader:
    def __init__(self, tree: ast.AST, parameters: set[str], around: Mapping[str, Any]) -> None:
        self._parameters, self._around = parameters, around
        self._stands_for = assigned_once(tree)

    def told(self, node: ast.BinOp) -> Iterator[tuple[tuple[str, ...], str]]:
        """Names of arguments -> how it is told."""
        if not isinstance(node.op, _ARITHMETIC):
            return
        left, right = self._of(node.left), self._of(node.right)
        whole = [one for one in (left, right) if one.kind is _Kind.WHOLE]
        for one, other, of_other in ((right, left, node.left), (left, right, node.right)):
            is_second = one is right
            may_be_one = isinstance(node.op, ast.Mult) or (is_second and isinstance(node.op, ast.Div | ast.Pow))
            is_named = isinstance(node.op, ast.Div) or self._is_from_elsewhere(of_other)
            if may_be_one and is_named and one.kind is _Kind.WHOLE and other.kind is _Kind.UNKNOWN:
                yield (*one.names, "?"), f"{ast.unparse(node)} with another"
        if not whole or _Kind.UNKNOWN in (left.kind, right.kind):
            return
        names = tuple(name for one in whole for name in one.names)
        text = ast.unparse(ast.BinOp(left.written or node.left, node.op, right.written or node.right))
        is_divided_by_one = isinstance(node.op, ast.Div) and len(whole) == 1
        if _Kind.FLOAT in (left.kind, right.kind) or is_divided_by_one:
            of_another = any(one.kind is _Kind.FLOAT and one.written for one in (left, right))
            if len(names) > 1 and any(isinstance(one.written, ast.Call) for one in (left, right)):
                return  # one of them may be a tensor of fractions itself
            yield (*names, "?" if of_another else ""), text + WITH_FRACTIONS
        elif len(whole) == 1 and not isinstance(node.op, ast.Pow):
            yield (*names, "#"), text + _WITH_WHOLE_ONES
        elif len(whole) == 2:
            if isinstance(node.op, ast.Div) and {*map(_number, left.names)} & {*map(_number, right.names)}:
                yield (*names, ""), text + WITH_FRACTIONS  # `(n - 1) / n`, which is of float64
            for one, other in ((left, right), (right, left)):
                if len(other.names) == 1 and _root(other.names[0]) not in map(_root, one.names):
                    is_divided = isinstance(node.op, ast.Div)
                    yield (*one.names, other.names[0]), f"{text}{' divided' * is_divided} with {other.names[0]}"

    def _is_from_elsewhere(self, node: ast.expr) -> bool:
        """Whether it is a name, or lies in one, that is no parameter: `self.rates[0]`."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self._parameters

    def compared(self, node: ast.Compare) -> Iterator[tuple[tuple[str, ...], str]]:
        """As `told`, of each two that stand side by side."""
        for first, operator, second in zip((node.left, *node.comparators), node.ops, node.comparators, strict=False):
            if not isinstance(operator, _COMPARISONS):
                continue
            text = ast.unparse(ast.Compare(first, [operator], [second]))
            left, right = self._of(first), self._of(second)
            for one, other in ((left, right), (right, left)):
                if one.kind is not _Kind.WHOLE:
                    continue
                if other.kind is _Kind.FLOAT:
                    yield (*one.names, ""), f"{text}{_COMPARED}{WITH_FRACTIONS}"
                elif len(other.names) == 1 and _root(other.names[0]) not in map(_root, one.names):
                    yield (*one.names, other.names[0]), f"{text}{_COMPARED} with {other.names[0]}"

    def _of(self, node: ast.expr, depth: int = 0) -> _Computed:
        if isinstance(node, ast.Constant):
            kinds = {int: _Kind.INT, float: _Kind.FLOAT}
            return _Computed(kinds.get(type(node.value), _Kind.UNKNOWN))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in _CONSTANTS:
            return _Computed(_Kind.FLOAT)
        if isinstance(node, ast.Subscript) and is_shape(node.value):
            return _Computed(_Kind.INT)
        if lies_in(node, self._parameters):
            return _Computed(_Kind.UNKNOWN if is_shape(node) else _Kind.WHOLE, (ast.unparse(node),))
        if isinstance(node, ast.Name):
            return self._of_a_name(node.id, depth)
        if isinstance(node, ast.UnaryOp):
            return self._of(node.operand, depth)._replace(written=None)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _STAY and node.args:
            found = self._of(node.args[0], depth)
            return found._replace(written=None) if found.kind in (_Kind.WHOLE, _Kind.INT) else _Computed(_Kind.UNKNOWN)
        if isinstance(node, ast.Call):
            written = ast.Call(node.func, [ast.Name("…")], [])  # of what it is given this says nothing
            return _Computed(_Kind.FLOAT, written=written) if _gives_fractions(node) else _Computed(_Kind.UNKNOWN)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return self._of_both(node, depth)
        return _Computed(_Kind.UNKNOWN)

    def _of_a_name(self, name: str, depth: int) -> _Computed:
        value = self._stands_for.get(name)
        if value is not None and depth < _DEEPEST:
            found = self._of(value, depth + 1)
            return found._replace(written=(found.written or value) if found.kind is _Kind.WHOLE else None)
        kinds = {int: _Kind.INT, float: _Kind.FLOAT}
        return _Computed(kinds.get(type(self._around.get(name)), _Kind.UNKNOWN))

    def _of_both(self, node: ast.BinOp, depth: int) -> _Computed:
        left, right = self._of(node.left, depth), self._of(node.right, depth)
        kinds = {left.kind, right.kind}
        if _Kind.UNKNOWN in kinds or (kinds == {_Kind.WHOLE} and isinstance(node.op, ast.Div)):
            return _Computed(_Kind.UNKNOWN)
        if _Kind.FLOAT in kinds or isinstance(node.op, ast.Div):
            # of a tensor, too: what comes of a number is told apart, as it may be cast where that is computed
            return _Computed(_Kind.FLOAT, written=ast.Name("…") if _Kind.WHOLE in kinds else None)
        names = tuple(dict.fromkeys((*left.names, *right.names)))
        return _Computed(_Kind.WHOLE if names else _Kind.INT, names)


def _gives_fractions(node: ast.Call) -> bool:
    """`tf.random.normal(shape)`, `tf.cast(x, tf.float32)`."""
    called = ast.unparse(node.func)
    if not (called in _CASTS or _OF_FRACTIONS.fullmatch(called)):
        return False
    dtype = next((ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg == "dtype"), "")
    if not dtype and called in _CASTS and len(node.args) > 1:
        dtype = ast.unparse(node.args[1])
    if dtype or called in _CASTS:
        return _DTYPE.fullmatch(dtype) is not None
    return len(node.args) < _MOST_BEFORE_A_DTYPE


def _number(name: str) -> str:
    """Also of what a loop over its `range` has."""
    return name.removesuffix("[...]")


def _root(name: str) -> str:
    """Items of one list, or fields of one object, are mostly of one type."""
    return name.partition(".")[0].partition("[")[0]
