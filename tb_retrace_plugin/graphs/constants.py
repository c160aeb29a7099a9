"""Two graphs that are built alike: the constants that differ. One pass over the bytes; what is equal is not parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import node_def_pb2

from tb_retrace_plugin.graphs.attributes import changed_keys, function_names, tensor_values, type_name
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.graphs.wire import node_spans

#: Nodes of one pair of graphs that are parsed.
_MOST_DIFFERING = 2_000
#: Of a constant that is no scalar: those whose values are told.
_MOST_ELEMENTS = 64
#: Where a number sets a shape, or the length of a `tf.TensorArray`, they follow; of a tensor they are left unknown.
_FOLLOWS = frozenset({"output_shapes", "num_elements"})
#: `sgd_1_cast_resource`, of a capture: it has the name of the operation that reads it.
_NUMBER_IN_NAME = re.compile(r"_\d+(?=_|$)")


@dataclass(frozen=True, slots=True)
class Values:
    """A constant's in the one graph and in the other, a tuple of one that is no scalar; None: it is not kept.

    `node`: (function, node) in the one graph. `resized`: it is of another shape in the other.
    """

    dtype: str
    a: Any
    b: Any
    node: tuple[str, str] = field(default=("", ""), compare=False)
    resized: bool = False


@dataclass(slots=True)
class Alike:
    """What differs in two graphs of the same nodes, wired alike.

    `attributes`: (operation, attribute) of those that differ, but constants' values; `numbers`: (operation,
    attribute, value, other value) of those that are numbers, or in a list of whole ones. `captures`: whether arguments,
    which what is captured becomes, have other names or shapes; `renumbered`: their names differ in numbers alone, as
    TensorFlow gives them to equal names. `names`: of the first operation that has another name. `tensors`:
    how many arguments are such, and no variables or other resources.
    """

    constants: list[Values] = field(default_factory=list)
    attributes: list[tuple[str, str]] = field(default_factory=list)
    numbers: list[tuple[str, str, float, float]] = field(default_factory=list)
    captures: bool = False
    names: tuple[str, str] | None = None
    renumbered: bool = False
    tensors: int = field(default=0, compare=False)


#: What captured variables, iterators and tables are.
_RESOURCES = frozenset({"resource", "variant"})


def compare_alike(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> Alike | None:
    """None if they are not built alike: other nodes, or wired otherwise; names do not count.

    Raises GraphError if one is damaged, or too much differs to be told.
    """
    if len(a) != len(b):
        return None
    found = Alike()
    numbers = [{function.name: number for number, function in enumerate(side)} for side in (a, b)]
    budget = _MOST_DIFFERING
    for left, right in zip(a, b, strict=True):
        nodes_a, nodes_b = _slices(left), _slices(right)
        if len(nodes_a) != len(nodes_b) or _types(left) != _types(right):
            return None
        renamed = _renamed_arguments(left, right)
        pairs = [(one, other) for one, other in zip(nodes_a, nodes_b, strict=True) if one != other]
        budget = _spend(budget, pairs)
        parsed = [(_parse(one), _parse(other)) for one, other in pairs]
        renamed |= {one.name: other.name for one, other in parsed if one.name != other.name}
        if renamed:  # an equal node may have its inputs from others
            same = [(one, one) for one, other in zip(nodes_a, nodes_b, strict=True) if one == other]
            budget = _spend(budget, same)
            parsed += [(node, node) for node in (_parse(one) for one, _ in same)]
        for one, other in parsed:
            if one.op != other.op or one.device != other.device:
                return None
            if [_source(text, renamed) for text in one.input] != list(other.input):
                return None
            if one is not other:
                if one.name != other.name and found.names is None:
                    found.names = one.name, other.name
                _compare_attributes(left.name, one, other, numbers, found)
        results = sorted(_source(text, renamed) for text in left.definition.ret.values())
        if results != sorted(right.definition.ret.values()):
            return None
    ours, others = _arguments(a[0]), _arguments(b[0])
    found.captures = ours != others
    found.tensors = sum(type_name(one) not in _RESOURCES for one in _types(a[0])[0])
    found.renumbered = found.captures and _without_numbers(ours) == _without_numbers(others)
    return found


def _spend(budget: int, pairs: Sequence[object]) -> int:
    if len(pairs) > budget:
        raise GraphError(f"more than {_MOST_DIFFERING:,} nodes differ")
    return budget - len(pairs)


def _slices(function: GraphFunction) -> list[bytes]:
    data = function.data
    try:
        spans = node_spans(data)
    except IndexError:  # protobuf reads what we do not
        spans = []
    nodes = function.definition.node_def
    if len(spans) == len(nodes):
        return [data[start:end] for start, end in spans]
    return [node.SerializeToString(deterministic=True) for node in nodes]


def _parse(data: bytes) -> Any:
    try:
        return node_def_pb2.NodeDef.FromString(data)
    except (DecodeError, ValueError, RecursionError) as error:
        raise GraphError("it is damaged") from error


def _types(function: GraphFunction) -> tuple[list[int], list[int]]:
    """Of what it takes and gives."""
    signature = function.definition.signature
    return [one.type for one in signature.input_arg], [one.type for one in signature.output_arg]


def _arguments(function: GraphFunction) -> list[tuple[str, bytes]]:
    """Names and shapes. Two traces of the same arguments differ in those of what they capture alone."""
    found = []
    for index, argument in enumerate(function.definition.signature.input_arg):
        known = function.definition.arg_attr[index].attr if index in function.definition.arg_attr else {}
        shape = known["_output_shapes"].SerializeToString(deterministic=True) if "_output_shapes" in known else b""
        found.append((argument.name, shape))
    return found


def _without_numbers(arguments: Iterable[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [(_NUMBER_IN_NAME.sub("", name), shape) for name, shape in arguments]


def _renamed_arguments(a: GraphFunction, b: GraphFunction) -> dict[str, str]:
    pairs = zip(a.definition.signature.input_arg, b.definition.signature.input_arg, strict=True)
    return {one.name: other.name for one, other in pairs if one.name != other.name}


def _source(text: str, renamed: dict[str, str]) -> str:
    """An input (`a`, `a:sum:0`, `^a`) with the name that its source has in the other graph."""
    if not renamed:
        return text
    name, colon, output = text.removeprefix("^").partition(":")
    return f"{'^' if text.startswith('^') else ''}{renamed.get(name, name)}{colon}{output}"


def _compare_attributes(function: str, a: Any, b: Any, numbers: Sequence[dict[str, int]], found: Alike) -> None:
    for key in changed_keys(a.attr, b.attr):
        if a.op == "Const" and key == "value" and "dtype" in a.attr and a.attr["dtype"] == b.attr["dtype"]:
            dtype = type_name(a.attr["dtype"].type)
            values = _value(a.attr["value"]), _value(b.attr["value"])
            resized = a.attr["value"].tensor.tensor_shape != b.attr["value"].tensor.tensor_shape
            found.constants.append(Values(dtype, *values, (function, a.name), resized))
        elif key not in _FOLLOWS:
            found.attributes.append((a.op, key))
            if key in a.attr and key in b.attr:
                found.numbers += [(a.op, key, *pair) for pair in _numbers_that_differ(a.attr[key], b.attr[key])]
    for key in a.attr:  # of what names functions it is not told whether they are the same
        if key in b.attr and (named := function_names(a.attr[key])):
            others = function_names(b.attr[key])
            if [numbers[0].get(name, name) for name in named] != [numbers[1].get(name, name) for name in others]:
                found.attributes.append((a.op, key))


def _numbers_that_differ(a: Any, b: Any) -> list[tuple[float, float]]:
    kind = a.WhichOneof("value")
    if kind != b.WhichOneof("value"):
        return []
    if kind == "list":  # `ksize` of `MaxPool`
        pairs = zip(a.list.i[:_MOST_ELEMENTS], b.list.i[:_MOST_ELEMENTS], strict=False)
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
    return [(getattr(a, kind), getattr(b, kind))] if kind in ("i", "f") else []


def _value(value: Any) -> Any:
    """None for what is large, or has been left out for its size."""
    if value.WhichOneof("value") != "tensor" or value.tensor.tensor_shape.unknown_rank:
        return None
    values = tensor_values(value.tensor) or []
    if value.tensor.tensor_shape.dim:
        return tuple(values) if 0 < len(values) <= _MOST_ELEMENTS else None
    return values[0] if values else None
