"""Graphs that advice reads: few, small, each pair once; what is damaged or gone is not known."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.for_advice import graph_pairs as module
from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.for_advice.graph_pairs import GraphPairs
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair
from tb_retrace_plugin.graphs.stored import encode
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.unit.graphs.test_constants import FLOAT, INT64, RESOURCE, Graph


def content(number: int) -> bytes:
    graph = Graph().constant("n", INT64, number).op("add").done()
    return pb.GraphContent(functions=[graph.data]).SerializeToString(deterministic=True)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def group_of(*contents: bytes, blob_of: Callable[[str], bytes | None]) -> FunctionGroup:
    """Traces for the numbers 0, 1, …, with these graphs."""
    session = Session("s", "run", 0, blob_of=blob_of)
    group = FunctionGroup(session, 0, pb.Function(name="shift"))
    for number, data in enumerate(contents):
        trace = pb.Trace(seq=number + 1, n=number + 1, graph_sha256=sha(data), graph_bytes=len(data), nodes=3)
        trace.kind, trace.verdict = ("retrace", "avoidable") if number else ("first", "needed")
        argument = trace.signature.arguments.add(path="offset").type
        argument.kind, argument.type_name = pb.TypeNode.LITERAL, "int"
        argument.value, argument.identity = str(number), number + 1
        if number:
            trace.closest_seq = number
            trace.changes.add(cause="python_value", path="offset", old=str(number - 1), new=str(number))
        session.add_event(TraceEvent(trace, session, group, 1))
    return group


def test_a_pair_is_read_once_and_says_what_differs() -> None:
    contents = [content(number) for number in range(3)]
    blobs = {sha(data): encode(data) for data in contents}
    asked = []
    group = group_of(*contents, blob_of=lambda sha256: asked.append(sha256) or blobs.get(sha256))  # type: ignore[func-returns-value]
    pairs = GraphPairs()
    for _ in range(3):
        assert pairs.of(group.events).compare(0, 1) == GraphPair(True, (Constant("int64", 0, 1),))
    assert len(asked) == 2
    (found,) = advice_of(group)
    assert (found.code, found.traces_after) == ("shift(tf.constant(offset, tf.int64))", 1)
    assert "(for 0 and 1 the graphs differ in nothing but int64 constants)" in found.evidence


def pair_of(*graphs: Graph) -> GraphPair | None:
    contents = [pb.GraphContent(functions=[graph.done().data]).SerializeToString() for graph in graphs]
    blobs = {sha(data): encode(data) for data in contents}
    return GraphPairs().of(group_of(*contents, blob_of=blobs.get).events).compare(0, 1)


def test_what_rounds_what_is_divided_by_a_size() -> None:
    graph = Graph().constant("Shape", INT64, 3).op("cast", "Cast").op("div", "RealDiv").op("sign", "Sign")
    graph.definition.node_def[1].input[:] = ["Shape:output:0"]
    data = pb.GraphContent(functions=[graph.done().data]).SerializeToString()
    found = [{sha(data): encode(data)}, {}]
    assert [GraphPairs().of(group_of(data, blob_of=one.get).events).rounds(0) for one in found] == ["Sign", ""]


def test_whether_a_graph_holds_a_gradient() -> None:
    def found(*names: str, lost: bool = False) -> bool | None:
        graph = Graph()
        for name in names:
            graph.op(name, "Mul")
        data = pb.GraphContent(functions=[graph.done().data]).SerializeToString()
        blobs = {} if lost else {sha(data): encode(data)}
        return GraphPairs().of(group_of(data, blob_of=blobs.get).events).differentiates(0)

    assert (found("mul"), found("mul", "gradient_tape/mul/Mul"), found("mul", lost=True)) == (False, True, None)


def test_of_what_dtypes_the_results_are() -> None:
    def found(*dtypes: int) -> tuple[str, str] | None:
        graphs = [Graph().op("moved", "Identity") for _ in dtypes]
        for graph, dtype in zip(graphs, dtypes, strict=True):
            graph.definition.signature.output_arg.add(name="y", type=dtype)
            graph.definition.node_def[0].attr["T"].type = dtype
        pair = pair_of(*graphs)
        return None if pair is None else pair.gives

    assert found(INT64, FLOAT) == ("int64", "float32")
    assert found(INT64, INT64) is None


def test_a_constant_that_nothing_but_casts_takes() -> None:
    def found(*takers: str) -> list[bool]:
        graphs = [Graph().constant("n", INT64, number) for number in (1, 2)]
        for graph in graphs:
            for place, taker in enumerate(takers):
                graph.op(f"{taker}_{place}", taker, "n:output:0")
        pair = pair_of(*graphs)
        assert pair is not None
        return [constant.is_cast for constant in pair.constants]

    assert found("Cast") == found("Cast", "Cast") == [True]
    assert found("Cast", "Add") == found("Add") == found() == [False]


def test_variables_that_are_assigned_to_are_counted() -> None:
    one = Graph().argument("v", RESOURCE).argument("w", RESOURCE)
    two = Graph().argument("v", RESOURCE).argument("w", RESOURCE)
    for name in ("v", "v"):  # a loop that is unrolled assigns to one variable
        one.assign(name)
    for name in ("v", "w", "w"):
        two.assign(name)
    assert pair_of(one, two) == GraphPair(False, casts=False, forward=False, assigned=(1, 2))


def test_graphs_that_create_variables() -> None:
    one, two = Graph().op("add"), Graph().op("add").op("mul")
    pair, created = pair_of(one, two), pair_of(one, two.op("asked", "VarIsInitializedOp"))
    assert pair is not None
    assert created is not None
    assert (pair.creates, created.creates) == (False, True)


def test_fractions_that_are_others_whatever_their_dtype() -> None:
    one = Graph().constant("rate", FLOAT, 0.1).constant("scale", FLOAT, 8.0).op("mul")
    two = Graph().op("cast", "Cast").constant("rate", FLOAT, 0.0999755859375).constant("scale", FLOAT, 16.0).op("mul")
    found = pair_of(one, two)
    assert found is not None
    assert found.fractions == (8.0, 16.0)
    same = pair_of(one, Graph().op("cast", "Cast").constant("s", FLOAT, 8.0).constant("r", FLOAT, 0.1).op("mul"))
    assert same is not None
    assert same.fractions is None


@pytest.mark.parametrize(
    ("ours", "others", "found"),
    [
        ([1.0, 10.0], [1.0, 2.0], (10.0, 2.0)),
        ([1.0, 2.0], [2.0, 10.0], (1.0, 10.0)),
        ([2.0, 2.0, 3.0], [2.0, 3.0, 3.0], (2.0, 3.0)),
        ([-1.0, 0.0], [-1.001, 0.0], None),
        ([1.0], [1.0, 2.0], None),
    ],
)
def test_of_several_fractions_those_are_told_that_the_other_does_not_hold(
    ours: list[float], others: list[float], found: tuple[float, float] | None
) -> None:
    one, two = Graph(), Graph().op("cast", "Cast")
    for graph, values in ((one, ours), (two, others)):
        for number, value in enumerate(values):
            graph.constant(f"c{number}", FLOAT, value)
    pair = pair_of(one.op("mul"), two.op("mul"))
    assert pair is not None
    assert pair.fractions == found


@pytest.mark.parametrize(
    "blob_of",
    [
        lambda sha256: None,
        lambda sha256: b"no graph",
        lambda sha256: encode(b"of another hash"),
        lambda sha256: 1 / 0,  # a data provider that cannot answer
    ],
)
def test_a_graph_that_cannot_be_read_is_not_known(blob_of: Any) -> None:
    group = group_of(content(0), content(1), blob_of=blob_of)
    assert GraphPairs().of(group.events).compare(0, 1) is None
    (found,) = advice_of(group)
    assert found.code == "shift(tf.constant(offset))"


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_is_stored_advice_is_given(one: bytes, other: bytes) -> None:
    blobs = {sha(data): encode(data) for data in (one, other)}
    assert len(advice_of(group_of(one, other, blob_of=blobs.get))) == 1


def test_few_graphs_are_read_and_no_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = [content(number) for number in range(40)]
    blobs = {sha(data): encode(data) for data in contents}
    group = group_of(*contents, blob_of=blobs.get)
    reading = GraphPairs().of(group.events)
    known = [reading.compare(n, n + 1) for n in range(39)]
    assert [pair is not None for pair in known] == [True] * 12 + [False] * 27
    monkeypatch.setattr(module, "_MOST_BYTES", len(contents[0]) - 1)
    assert GraphPairs().of(group.events).compare(0, 1) is None
    for event in group.events:
        event.record.graph_bytes = 1  # what a record says of its graph need not be so
    assert GraphPairs().of(group.events).compare(0, 1) is None


def test_graphs_that_are_gone_are_not_asked_for_again_and_again() -> None:
    asked: list[str] = []
    group = group_of(*(content(n) for n in range(40)), blob_of=lambda sha256: asked.append(sha256))  # type: ignore[func-returns-value]
    reading = GraphPairs().of(group.events)
    assert [reading.compare(n, n + 1) for n in range(39)] == [None] * 39
    assert len(asked) == 3


def test_what_a_pair_tells_besides_constants() -> None:
    def pair(first: Graph, second: Graph) -> GraphPair:
        graphs = [
            pb.GraphContent(functions=[graph.done().data]).SerializeToString(deterministic=True)
            for graph in (first, second)
        ]
        group = group_of(*graphs, blob_of={sha(data): encode(data) for data in graphs}.get)
        found = GraphPairs().of(group.events).compare(0, 1)
        assert found is not None
        return found

    # a whole number that is an attribute; a mean's gradient divides by the size
    split = pair(Graph().op("split", "Split", num_split=2), Graph().op("split", "Split", num_split=4))
    assert (split.attribute, split.seeded) == (("Split", "num_split"), False)
    assert split.numbers == (("Split", "num_split", 2, 4),)
    one, other = (Graph().constant("gradient_tape/Mean/Const", FLOAT, size).op("div") for size in (2.0, 3.0))
    assert [constant.of_gradient for constant in pair(one, other).constants] == [True]
    one, other = (Graph().constant("rate", FLOAT, rate).op("mul") for rate in (2.0, 3.0))
    assert [constant.of_gradient for constant in pair(one, other).constants] == [False]
    for name, is_so in (("Const_1", True), ("while/Const", True), ("mul/y", False)):
        one, other = (Graph().constant(name, FLOAT, rate).op("mul") for rate in (2.0, 3.0))
        assert [constant.is_named_so for constant in pair(one, other).constants] == [is_so]
    for name, is_slice in (("strided_slice_2/stack_1", True), ("a/strided_slice/stack", True), ("stack_1", False)):
        one, other = (Graph().constant(name, FLOAT, bound).op("mul") for bound in (2.0, 3.0))
        assert [constant.of_slice for constant in pair(one, other).constants] == [is_slice]
    for name, is_so in (("net/Reshape_1/shape", True), ("Tensordot/Reshape/shape", False), ("Shape/shape", False)):
        one, other = (Graph().constant(name, FLOAT, size).op("mul") for size in (2.0, 3.0))
        assert [constant.of_reshape for constant in pair(one, other).constants] == [is_so]
    for name, is_forward in (("Repeat", False), ("gradient_tape/Sum", True)):  # which a size of one has, say
        one, other = Graph().op("mul"), Graph().op("mul").op(name, "Sum")
        assert (pair(one, other).alike, pair(one, other).forward) == (False, is_forward)
        assert pair(one, other).gradients_alone == is_forward
    more = pair(Graph().op("mul"), Graph().constant("y", FLOAT, 1.0).op("mul"))
    assert (more.forward, more.gradients_alone) == (True, False)
    for seed, is_seeded in ((0, False), (7, True)):
        one, other = (Graph().op("draw", "RandomUniform", seed=0, seed2=seed) for _ in range(2))
        assert pair(one, other.op("more")).seeded == is_seeded


@pytest.mark.parametrize(
    ("operation", "dtypes", "computes"),
    [
        ("Mean", (INT64, FLOAT), ("Mean", "int64", "float32")),
        ("Reshape", (INT64, FLOAT), None),  # the same numbers
        ("Less", (INT64, FLOAT), None),
        ("Less", (19, FLOAT), ("Less", "float16", "float32")),
        ("Mean", (FLOAT, FLOAT), None),  # cast before
    ],
)
def test_operations_that_compute_in_another_dtype(
    operation: str, dtypes: tuple[int, int], computes: tuple[str, str, str] | None
) -> None:
    def graph(dtype: int) -> Graph:
        found = Graph().op("first", "Mul").op("mean", operation)
        found.definition.node_def[0].attr["T"].type = FLOAT
        found.definition.node_def[1].attr["T"].type = dtype
        return found

    one, other = map(graph, dtypes)
    found = pair_of(one.op("cast", "Cast"), other)
    assert found is not None
    assert found.computes == computes


def test_dtypes_of_the_fractions_that_are_constants() -> None:
    contents = [
        pb.GraphContent(functions=[Graph().constant("n", dtype, number).op("add").done().data]).SerializeToString()
        for dtype, number in ((FLOAT, 1), (INT64, 2))
    ]
    blobs = {sha(data): encode(data) for data in contents}
    events = group_of(*contents, blob_of=blobs.get).events
    found = [GraphPairs().of(events).compare(*places) for places in ((0, 1), (1, 0))]
    assert [pair and pair.held for pair in found] == [{"float32"}, set()]


def test_a_value_is_put_in_a_few_times_and_into_no_graph_that_is_gone() -> None:
    data = content(1)
    asked: list[str] = []

    def blob_of(sha256: str) -> bytes | None:
        asked.append(sha256)
        return encode(data) if sha256 == sha(data) else None

    reading = GraphPairs().of(group_of(data, blob_of=blob_of).events)
    assert reading.neutral(0, 9, None) is None  # it has no such argument
    assert asked == [sha(data)]
    gone = GraphPairs().of(group_of(content(2), blob_of=blob_of).events)
    asked.clear()
    assert [gone.neutral(0, 0, None) for _ in range(module._MOST_PUT_IN + 3)] == [None] * (module._MOST_PUT_IN + 3)
    assert len(asked) == module._MOST_PUT_IN
