"""Graphs of one function's traces, compared in pairs for its advice: a few, small enough, and each pair once."""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Sequence, Set
from dataclasses import replace

from tensorboard.compat.proto import types_pb2

from tb_retrace_plugin.analysis.for_advice.graph_dtypes import computes_in, gives, held_fractions
from tb_retrace_plugin.analysis.for_advice.graph_neutral import neutral_value
from tb_retrace_plugin.analysis.for_advice.graph_source import read_graph_of
from tb_retrace_plugin.analysis.for_advice.graph_takers import operations_that_take
from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, NeutralValue
from tb_retrace_plugin.graphs.attributes import tensor_values
from tb_retrace_plugin.graphs.constants import compare_alike
from tb_retrace_plugin.graphs.filled import fills_as_constants
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.rounded_sizes import rounds_after_sizes
from tb_retrace_plugin.graphs.seeds import draws_with_a_seed
from tb_retrace_plugin.graphs.xla_constants import constant_nodes

#: Of one function, for one state of it; and bytes of a graph: one of them takes a few milliseconds.
_MOST_PAIRS = 12
#: In which a value is put in for a tensor, beside these.
_MOST_PUT_IN = 24
_MOST_BYTES = 2 << 20
#: Name of what `tf.constant` makes.
_NAMED = re.compile(r"(^|/)Const(_\d+)?$")
#: Name of a bound of `x[:n]` that is no tensor: those are packed by an operation.
_SLICE = re.compile(r"(^|/)strided_slice(_\d+)?/stack(_\d+)?$")
#: Of what `tf.shape` makes where the shape is known.
_LIKE = re.compile(r"(^|/)(zeros|ones|full)_like(_\d+)?(/|$)")
_SHAPE = re.compile(r"(^|/)Shape(_\d+)?$")
#: Of the shape that `tf.reshape` is given, but what TensorFlow's and Keras' own code works out, of unknown sizes too.
_RESHAPE = re.compile(r"^(?!(?i:.*(?:tensordot|einsum|repeat|norm|mask)))(?:.*/)?Reshape(_\d+)?/shape$")
#: In names of what is made by a gradient tape, by `tf.gradients`, and as the backward pass of a function.
_GRADIENTS = ("gradient_tape/", "gradients/", "__backward_")
_COMPUTES_NOTHING = frozenset({"Const", "Identity", "IdentityN", "NoOp"})
#: Dtypes of fractions: float16, bfloat16, float32, float64.
_FRACTIONS = frozenset({types_pb2.DT_HALF, types_pb2.DT_BFLOAT16, types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE})
#: Operations that write to a variable.
_ASSIGNS = re.compile(r"Assign\w*VariableOp|Resource(Sparse)?Apply\w+|ResourceScatter\w+")
#: What TensorFlow asks of a variable in the graph that creates it.
_IS_INITIALIZED = "VarIsInitializedOp"
#: Operations that write a summary, for a step of int64.
_SUMMARY = re.compile(r"Write\w*Summary")
#: Up to this the graph that was read last is kept: it is in the next pair too.
_KEPT_BYTES = 64 << 10


class GraphPairs:
    """Of one function. What was found is kept; what could not be read is looked for again later."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], GraphPair] = {}

    def of(self, events: Sequence[TraceEvent]) -> Reading:
        return Reading(events, self._found)


class Reading:
    """The traces as they are now. A damaged or missing graph is one that is not known."""

    def __init__(self, events: Sequence[TraceEvent], found: dict[tuple[str, str], GraphPair]) -> None:
        self._events, self._found = events, found
        self._left, self._put_in_left = _MOST_PAIRS, _MOST_PUT_IN
        self._last: tuple[str, list[GraphFunction]] = "", []

    def compare(self, one: int, other: int) -> GraphPair | None:
        a, b = self._events[one], self._events[other]
        key = a.record.graph_sha256, b.record.graph_sha256
        if not all(key) or max(a.record.graph_bytes, b.record.graph_bytes) > _MOST_BYTES:
            return None
        if key not in self._found:
            if self._left <= 0:
                return None
            self._left -= 1
            try:
                pair = _pair(self._graph(a), self._graph(b), by_xla=a.record.jit_compile)
            except Exception:  # damaged, or gone: what is in a logdir is anybody's
                self._left -= _MOST_PAIRS // 3
                return None
            self._found[key] = replace(pair, filled=pair.alike and a.record.nodes != b.record.nodes)
        return self._found[key]

    def taken_by(self, place: int, number: int) -> frozenset[str] | None:
        event = self._events[place]
        if not event.record.graph_sha256 or event.record.graph_bytes > _MOST_BYTES or self._left <= 0:
            return None
        self._left -= 1
        try:
            return operations_that_take(self._graph(event)[0].definition, number)
        except Exception:  # as above
            return None

    def differentiates(self, place: int) -> bool | None:
        event = self._events[place]
        if not event.record.graph_sha256 or event.record.graph_bytes > _MOST_BYTES or self._left <= 0:
            return None
        self._left -= 1
        try:
            nodes = [(f.name, node.name) for f in self._graph(event) for node in f.definition.node_def]
        except Exception:  # as above
            return None
        return any(map(_is_of_gradient, nodes))

    def rounds(self, place: int) -> str:
        event = self._events[place]
        if not event.record.graph_sha256 or event.record.graph_bytes > _MOST_BYTES or self._left <= 0:
            return ""
        self._left -= 1
        try:
            return rounds_after_sizes(self._graph(event))
        except Exception:  # as above
            return ""

    def neutral(self, place: int, number: int, lacking: int | None) -> NeutralValue | None:
        events = [self._events[place], *([] if lacking is None else [self._events[lacking]])]
        known = [one for one in events if one.record.graph_sha256 and one.record.graph_bytes <= _MOST_BYTES]
        if events[0] not in known or self._put_in_left <= 0:
            return None
        self._put_in_left -= 1
        try:
            having, *without = [self._graph(one)[0] for one in known]
            return neutral_value(having, number, next(iter(without), None))
        except Exception:  # as above
            return None

    def _graph(self, event: TraceEvent) -> list[GraphFunction]:
        sha256 = event.record.graph_sha256
        if sha256 == self._last[0]:
            return self._last[1]
        read = read_graph_of(event, event.session.blob_of, most_bytes=_MOST_BYTES)
        graph = [fills_as_constants(function) for function in read]
        if sum(len(function.data) for function in graph) <= _KEPT_BYTES:
            self._last = sha256, graph
        return graph


def _pair(a: Sequence[GraphFunction], b: Sequence[GraphFunction], *, by_xla: bool) -> GraphPair:
    found, seeded = compare_alike(a, b), draws_with_a_seed(a)
    if found is None:
        return GraphPair(
            alike=False,
            seeded=seeded,
            casts=_operations(a) == _operations(b),
            forward=_forward(a) == _forward(b),
            gradients_alone=_without_gradients(a) == _without_gradients(b),
            assigned=(_assigned(a), _assigned(b)),
            fractions=_fractions(a, b),
            computes=computes_in(a, b),
            gives=gives(a, b),
            held=held_fractions(a),
            creates=_creates_variables(a) or _creates_variables(b),
        )
    needed = constant_nodes([function.definition for function in a]) if by_xla else frozenset()
    cast = _only_cast(a, {v.node for v in found.constants})
    constants = dict.fromkeys(
        Constant(
            v.dtype,
            v.a,
            v.b,
            compiled_in=v.node in needed or (by_xla and v.resized),
            of_gradient=_is_of_gradient(v.node),
            is_named_so=bool(_NAMED.search(v.node[1])),
            of_slice=bool(_SLICE.search(v.node[1])),
            resized=v.resized,
            is_asked_for=bool(_SHAPE.search(v.node[1])),
            is_cast=v.node in cast,
            is_like=bool(_LIKE.search(v.node[1])),
            of_reshape=bool(_RESHAPE.search(v.node[1])),
        )
        for v in found.constants
    )
    attribute = next(iter(found.attributes), None)
    return GraphPair(
        True,
        tuple(constants),
        attribute,
        found.captures,
        tuple(found.numbers),
        seeded,
        names=found.names,
        renumbered=found.renumbered,
        fractions=_fractions(a, b),
        computes=computes_in(a, b),
        gives=gives(a, b),
        held=held_fractions(a),
        summaries=_writes_summaries(a),
    )


def _only_cast(graph: Sequence[GraphFunction], nodes: Set[tuple[str, str]]) -> Set[tuple[str, str]]:
    """Those of `nodes`, (function, node), that nothing but casts takes."""
    taken: dict[tuple[str, str], set[str]] = {}
    for function in graph if nodes else ():
        takers = [(node.op, node.input) for node in function.definition.node_def]
        for op, inputs in (*takers, ("", function.definition.ret.values())):
            for text in inputs:
                if (node := (function.name, text.partition(":")[0])) in nodes:
                    taken.setdefault(node, set()).add(op)
    return {node for node, operations in taken.items() if operations == {"Cast"}}


def _writes_summaries(graph: Sequence[GraphFunction]) -> bool:
    """Whether it does, and holds whole constants of their steps' dtype."""
    nodes = [node for function in graph for node in function.definition.node_def]
    return any(_SUMMARY.fullmatch(node.op) for node in nodes) and any(
        node.op == "Const" and node.attr["dtype"].type == types_pb2.DT_INT64 for node in nodes
    )


def _operations(graph: Sequence[GraphFunction]) -> collections.Counter[str]:
    """How many there are of each, without casts."""
    return collections.Counter(
        node.op for function in graph for node in function.definition.node_def if node.op != "Cast"
    )


def _forward(graph: Sequence[GraphFunction]) -> collections.Counter[str]:
    """How many there are of each that computes something, without gradients: broadcast, these are of other ones."""
    every = _without_gradients(graph)
    return collections.Counter({op: count for op, count in every.items() if op not in _COMPUTES_NOTHING})


def _without_gradients(graph: Sequence[GraphFunction]) -> collections.Counter[str]:
    return collections.Counter(
        node.op
        for function in graph
        for node in function.definition.node_def
        if not _is_of_gradient((function.name, node.name))
    )


def _assigned(graph: Sequence[GraphFunction]) -> int:
    """To how many variables: the first input of what assigns is one."""
    return (
        len({n.input[0] for n in graph[0].definition.node_def if n.input and _ASSIGNS.fullmatch(n.op)}) if graph else 0
    )


def _creates_variables(graph: Sequence[GraphFunction]) -> bool:
    return any(node.op == _IS_INITIALIZED for function in graph for node in function.definition.node_def)


def _fractions(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> tuple[float, float] | None:
    """The first of each that the other does not hold, as closely as the least precise dtype tells them apart."""
    ours, others = _constant_fractions(a), _constant_fractions(b)
    if len(ours) != len(others):
        return None
    alone = _without(ours, others), _without(others, ours)
    return (alone[0][0], alone[1][0]) if all(alone) else None


def _without(ours: Sequence[float], others: Sequence[float]) -> list[float]:
    """Both ascend; each of the others takes one of ours away."""
    left, place = [], 0
    for value in ours:
        while place < len(others) and others[place] < value and not math.isclose(others[place], value, rel_tol=1e-2):
            place += 1
        if place < len(others) and math.isclose(others[place], value, rel_tol=1e-2):
            place += 1
        else:
            left.append(value)
    return left


def _constant_fractions(graph: Sequence[GraphFunction]) -> list[float]:
    """Of scalars."""
    constants = (node.attr["value"].tensor for f in graph for node in f.definition.node_def if node.op == "Const")
    scalars = (tensor for tensor in constants if tensor.dtype in _FRACTIONS and not tensor.tensor_shape.dim)
    values = [value for tensor in scalars for value in tensor_values(tensor) or []]
    return sorted(value for value in values if isinstance(value, float) and math.isfinite(value))


def _is_of_gradient(node: tuple[str, str]) -> bool:
    return any(f"/{part}" in f"/{name}" for name in node for part in _GRADIENTS)
