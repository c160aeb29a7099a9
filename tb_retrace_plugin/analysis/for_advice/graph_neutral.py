"""Which value, put in for an argument, leaves a graph as one that lacks it: folded as a constant, by each operation.

Of a few operations alone it is known what zeros and ones do in them; any other that takes it refuses a value.
"""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from tensorboard.compat.proto import types_pb2

from tb_retrace_plugin.analysis.for_advice.graph_takers import operations_that_take
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import NeutralValue
from tb_retrace_plugin.graphs.attributes import uniform_value
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.slim import Shape

#: Where all that they take has one value, so has what they give.
_PASS_ON = frozenset({
    "Identity", "Cast", "ExpandDims", "Reshape", "Squeeze", "BroadcastTo", "Tile", "Transpose", "StridedSlice", "Slice",
    "StopGradient", "PreventGradient", "Mean", "Max", "Min", "Snapshot",
})  # fmt: skip
_NO_VALUES = frozenset({"Shape", "ShapeN", "Rank", "Size", "ZerosLike", "OnesLike", "Assert", "NoOp"})
#: Of operations that pass it to another graph: what that does is not looked at.
_CALLS = re.compile(r"Call|If$|While$|Case$|Map|Scan|PyFunc")
_GRADIENTS = re.compile(r"(^|/)(gradient_tape|gradients)/")
#: What else there may be where nothing more is computed.
_COMPUTES_NOTHING = frozenset({
    "Const", "Identity", "IdentityN", "NoOp", "Cast", "ExpandDims", "Reshape", "Squeeze", "BroadcastTo", "StridedSlice",
    "Shape", "ReadVariableOp", "Pack", "Assert",
})  # fmt: skip
_FRACTIONS = frozenset({types_pb2.DT_HALF, types_pb2.DT_BFLOAT16, types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE})
_UNARY: Mapping[str, Callable[[float], float]] = {
    "Neg": lambda a: -a, "LogicalNot": lambda a: float(not a), "Square": lambda a: a * a, "Abs": abs,
    "Sqrt": math.sqrt, "Exp": math.exp, "Log": math.log, "Relu": lambda a: max(a, 0.0), "Log1p": math.log1p,
    "Reciprocal": lambda a: 1 / a, "Sign": lambda a: float((a > 0) - (a < 0)), "Tanh": math.tanh,
}  # fmt: skip
_BINARY: Mapping[str, Callable[[float, float], float]] = {
    "Add": lambda a, b: a + b, "AddV2": lambda a, b: a + b, "BiasAdd": lambda a, b: a + b, "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b, "RealDiv": lambda a, b: a / b, "DivNoNan": lambda a, b: a / b if b else 0.0,
    "Pow": lambda a, b: a**b, "Maximum": max, "Minimum": min, "LogicalAnd": lambda a, b: float(a and b),
    "LogicalOr": lambda a, b: float(a or b), "Equal": lambda a, b: float(a == b),
    "NotEqual": lambda a, b: float(a != b), "Greater": lambda a, b: float(a > b), "Less": lambda a, b: float(a < b),
    "GreaterEqual": lambda a, b: float(a >= b), "LessEqual": lambda a, b: float(a <= b),
}  # fmt: skip
#: (operation, place, value) that leave the other operand as it is.
_LEAVES = {
    *[(op, place, 0.0) for op in ("Add", "AddV2") for place in (0, 1)], ("BiasAdd", 1, 0.0), ("Sub", 1, 0.0),
    ("Mul", 0, 1.0), ("Mul", 1, 1.0), ("RealDiv", 1, 1.0), ("DivNoNan", 1, 1.0), ("Pow", 1, 1.0),
    ("LogicalAnd", 0, 1.0), ("LogicalAnd", 1, 1.0), ("LogicalOr", 0, 0.0), ("LogicalOr", 1, 0.0),
}  # fmt: skip
#: (operation, place, value) -> what they give, whatever the other operand is.
_DECIDES = {
    ("Mul", 0, 0.0): 0.0, ("Mul", 1, 0.0): 0.0, ("MatMul", 0, 0.0): 0.0, ("MatMul", 1, 0.0): 0.0,
    ("BatchMatMulV2", 0, 0.0): 0.0, ("BatchMatMulV2", 1, 0.0): 0.0, ("RealDiv", 0, 0.0): 0.0,
    ("DivNoNan", 0, 0.0): 0.0, ("Pow", 1, 0.0): 1.0, ("LogicalAnd", 0, 0.0): 0.0, ("LogicalAnd", 1, 0.0): 0.0,
    ("LogicalOr", 0, 1.0): 1.0, ("LogicalOr", 1, 1.0): 1.0,
}  # fmt: skip
#: Nothing comes of them with zeros.
_COUNT_UP = frozenset({"AssignAddVariableOp", "AssignSubVariableOp"})
#: Of ones they give a number of items, by which weights are normalized.
_SUMS = frozenset({"Sum", "Prod"})
#: What stands for none of what the graph computes.
_FILLS = frozenset({"Const", "ZerosLike", "OnesLike", "Fill"})
_MASKS = "boolean_mask/"
#: What `tf.where` gives of a mask of True: each place.
_EVERYWHERE = "everywhere"
_Value = float | bytes | str


class _UnknownError(Exception):
    """What the graph does with it lies in another graph."""


def neutral_value(having: GraphFunction, number: int, lacking: GraphFunction | None) -> NeutralValue | None:
    """Of the argument of that number of `having`. `lacking`: what is traced without it, if that is known.

    None if it is not known, or nothing takes its values.
    """
    definition = having.definition
    taken = operations_that_take(definition, number)
    if taken is None:
        return None
    of_text = definition.signature.input_arg[number].type == types_pb2.DT_STRING
    found: list[tuple[int, str, frozenset[str] | None]] = []
    try:
        without = None if lacking is None else _PutIn(lacking, {})
        for word, value in (("zeros", b""),) if of_text else (("ones", 1.0), ("zeros", 0.0)):
            put_in = _PutIn(having, {definition.signature.input_arg[number].name: value})
            if put_in.is_neutral:
                differs = None if without is None else _differs(put_in.computed(), without.computed())
                found.append((len(differs or ()), word, differs))
    except _UnknownError:
        return None
    if not found:
        return NeutralValue("none", taken)
    if not taken or (lacking is None and len(found) > 1):  # a term of its own vanishes with zeros, a factor with ones
        return None
    _, word, differs = min(found, key=lambda one: one[0])
    return NeutralValue(word, taken, differs)


class _PutIn:
    """A graph with one value for all elements of an argument, simplified by it and by its constants.

    Raises _UnknownError.
    """

    def __init__(self, function: GraphFunction, put_in: Mapping[str, _Value]) -> None:
        self._definition = function.definition
        self._shapes = _shapes(function)
        #: Of what comes of it, and of constants; and what stands for a node that leaves the other operand as it is.
        self._values: dict[str, _Value] = dict(put_in)
        self._of_it = set(put_in)
        self._instead: dict[str, str] = {}
        self._gone: set[str] = set()
        self._filled: set[str] = set()
        self.is_neutral = self._goes_through()

    def _goes_through(self) -> bool:
        for node in self._definition.node_def:  # in the order of what they take, as TensorFlow traces
            inputs = [self._resolved(name) for name in node.input if not name.startswith("^")]
            if node.op in _FILLS:
                self._filled.add(node.name)
            if node.op == "Const":
                value = uniform_value(node.attr["value"].tensor)
                if isinstance(value, bool | int | float | bytes):
                    self._values[node.name] = value if isinstance(value, bytes) else float(value)
            elif any(one in self._of_it for one in inputs):
                if not self._takes(node, inputs, self._of_it):
                    return False
            elif any(one in self._values for one in inputs) and not _CALLS.search(node.op):
                self._takes(node, inputs, self._values)
        return not any(self._resolved(name) in self._of_it for name in self._definition.ret.values())

    def computed(self) -> collections.Counter[str]:
        return _computed(self._definition, self._instead, self._gone | self._of_it)

    def _resolved(self, name: str) -> str:
        name = name.partition(":")[0]
        return self._instead.get(name, name)

    def _takes(self, node: Any, inputs: Sequence[str], known_ones: Collection[str]) -> bool:
        """Whether it is known what it does with the first of these."""
        if node.op in _NO_VALUES or _GRADIENTS.search(node.name):
            return True
        if _CALLS.search(node.op):
            raise _UnknownError
        known = [self._values.get(one) for one in inputs]
        place = next(place for place, one in enumerate(inputs) if one in known_ones)
        value = known[place]
        try:
            folded = _folded(node, place, known)
        except (ArithmeticError, ValueError, TypeError):
            return False
        if folded is not None:
            return self._gives(node, inputs, folded)
        if node.op in _SUMS and value == 1.0:
            return True
        if node.op in _COUNT_UP and place == 1 and value == 0.0:
            self._gone.add(node.name)
            return True
        if node.op in ("Select", "SelectV2") and place == 0:
            return self._is_left(node, inputs, inputs[1 if value else 2])
        if node.op == "Where" and value == 1.0 and _MASKS in node.name and len(self._shapes.get(inputs[0]) or ()) == 1:
            return self._gives(node, inputs, _EVERYWHERE)
        if node.op == "GatherV2" and place == 1 and value == _EVERYWHERE:
            self._instead[node.name] = inputs[0]
            return True
        others = [one for at, one in enumerate(inputs) if one not in known_ones or known[at] != value]
        if node.op == "StringJoin" and value == b"" and not node.attr["separator"].s and len(others) == 1:
            return self._is_left(node, inputs, others[0])
        if node.op == "AddN" and value == 0.0:
            return len(others) > 1 or (bool(others) and self._is_left(node, inputs, others[0]))
        if len(inputs) == 2 and ((node.op, place, value) in _LEAVES or (_is_text_sum(node) and value == b"")):
            return self._is_left(node, inputs, inputs[1 - place])
        return False

    def _gives(self, node: Any, inputs: Sequence[str], value: _Value) -> bool:
        self._values[node.name] = value
        if not self._of_it.isdisjoint(inputs):
            self._of_it.add(node.name)
        return True

    def _is_left(self, node: Any, inputs: Sequence[str], other: str) -> bool:
        """The other operand stands for it, if that is computed, and is not broadcast to a larger shape."""
        if (value := self._values.get(other)) is not None:
            return self._gives(node, inputs, value)
        shape, before = self._shapes.get(node.name), self._shapes.get(other)
        if other in self._filled or (shape is not None and before is not None and shape != before):
            return False
        self._instead[node.name] = other
        return True


def _folded(node: Any, place: int, known: Sequence[_Value | None]) -> _Value | None:
    """What it gives, where that is one value for all elements. Raises ArithmeticError, ValueError, TypeError."""
    value = known[place]
    if node.op == "Cast" and isinstance(value, float):
        to = node.attr["DstT"].type
        if to == types_pb2.DT_BOOL:
            return float(bool(value))
        return value if to in _FRACTIONS else float(int(value))
    if node.op in _PASS_ON:
        return value if place == 0 else None
    if node.op in ("GatherV2", "Gather") and place == 0 and value != _EVERYWHERE:
        return value
    if node.op == "Pack":
        return value if all(one == value for one in known) else None
    if node.op in _SUMS and place == 0 and value == 0.0:
        return 0.0
    if not isinstance(value, float):
        return None
    if node.op in _UNARY and len(known) == 1:
        return float(_UNARY[node.op](value))
    if len(known) != 2:
        return None
    left, right = known
    if node.op in _BINARY and isinstance(left, float) and isinstance(right, float):
        return float(_BINARY[node.op](left, right))
    return _DECIDES.get((node.op, place, value))


def _is_text_sum(node: Any) -> bool:
    return bool(node.op == "Add" and node.attr["T"].type == types_pb2.DT_STRING)


def _shapes(function: GraphFunction) -> dict[str, Shape]:
    """Of arguments, and of nodes with one output."""
    found: dict[str, Shape] = {}
    if function.inputs:
        for argument, row in zip(function.definition.signature.input_arg, function.inputs, strict=True):
            found[argument.name] = next(iter(function.shapes[row]), None)
    if function.nodes:
        for node, row in zip(function.definition.node_def, function.nodes, strict=True):
            found[node.name] = function.shapes[row][0] if len(function.shapes[row]) == 1 else None
    return found


def _computed(definition: Any, instead: Mapping[str, str], gone: Iterable[str]) -> collections.Counter[str]:
    """How many there are of each operation that computes something which the results need, gradients apart; and of
    constants that are fractions."""
    gone = frozenset(gone)
    nodes = {node.name: node for node in definition.node_def}
    todo = [name.partition(":")[0] for name in (*definition.ret.values(), *definition.control_ret.values())]
    found: collections.Counter[str] = collections.Counter()
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        name = instead.get(name, name)
        if name in seen or name in gone or name not in nodes:
            continue
        seen.add(name)
        node = nodes[name]
        todo += [one.lstrip("^").partition(":")[0] for one in node.input if node.op == "NoOp" or one[:1] != "^"]
        if _GRADIENTS.search(name) or _MASKS in name:
            continue
        if node.op == "Const" and node.attr["dtype"].type in _FRACTIONS:
            value = uniform_value(node.attr["value"].tensor)
            found["" if value is None else f"the constant {value:g}"] += 1
        elif node.op not in _COMPUTES_NOTHING:
            found[node.op] += 1
    return found


def _differs(one: collections.Counter[str], other: collections.Counter[str]) -> frozenset[str]:
    return frozenset(key for key in {*one, *other} if one[key] != other[key])
