"""The union of two graphs: nothing lost, its mirror the other way round, and whatever lies in a logdir survived."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs import nodes as nodes_module
from tb_retrace_plugin.graphs.difference import (
    CHANGED,
    CONTROL,
    IN_A,
    IN_B,
    RENAMED,
    REWIRED,
    Difference,
    compare_graphs,
)
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.stored import GraphError
from tests.support.labelled_graphs import Layer, train_step, unrolled

OPS = ["Relu", "Add", "Const", "MatMul", "PartitionedCall"]
#: Names repeat, are empty, hold markup; inputs go forward, back, nowhere.
NAMES = st.sampled_from(
    ["", "a", "a_1", "a_2", "b", "b_1", "gradient_tape/a/x", "gradient_tape/b/x", "<img src=x>", "s/a"]
)
SOURCES = st.sampled_from(
    ["", "^", "a", "a:o:0", "a_1:o:0", "^a_2", "b:o:1", "nowhere:o:0", "x", "^x", "s/a:o:0", ":::"]
)
NODES = st.lists(st.tuples(NAMES, st.sampled_from(OPS), st.lists(SOURCES, max_size=4), st.integers(0, 3)), max_size=25)
GRAPHS = st.lists(NODES, min_size=1, max_size=3)


def functions(graph: list[list[tuple[str, str, list[str], int]]]) -> list[GraphFunction]:
    found = []
    for number, nodes in enumerate(graph):
        definition = function_pb2.FunctionDef()
        definition.signature.name = f"f_{number}"
        definition.signature.input_arg.add(name="x", type=1)
        definition.signature.output_arg.add(name="out", type=1)
        definition.ret["out"] = "a:o:0"
        for name, op, inputs, value in nodes:
            node = definition.node_def.add(name=name, op=op, input=inputs)
            if op == "PartitionedCall":
                node.attr["f"].func.name = f"f_{value}"
            elif value:
                node.attr["value"].i = value
                node.attr["_hidden"].i = len(name)
        shapes: list[Any] = [(), ((2,),), ((None, 3),)]
        rows = [value % 3 for _, _, _, value in nodes]
        found.append(GraphFunction(definition, definition.SerializeToString(deterministic=True), shapes, [1], rows))
    return found


def rows(difference: Difference, *, turned: bool = False) -> Counter[tuple[Any, ...]]:
    """Every row, whatever its place, with the inputs that it has on either side."""
    found: Counter[tuple[Any, ...]] = Counter()
    for graph in difference.graphs:
        names = [graph.a.name if graph.a else None, graph.b.name if graph.b else None]
        places = list(zip(graph.row_a.tolist(), graph.row_b.tolist(), strict=True))
        for row, (place, flags) in enumerate(zip(places, graph.flags.tolist(), strict=True)):
            inputs = [
                (places[graph.input_node[at]], int(graph.input_flags[at]))
                for at in range(graph.input_start[row], graph.input_start[row + 1])
            ]
            if turned:
                inputs = [((b, a), turn(of)) for (a, b), of in inputs]
                found[(*names[::-1], place[::-1], turn(flags), tuple(sorted(inputs)))] += 1
            else:
                found[(*names, place, flags, tuple(sorted(inputs)))] += 1
    return found


def turn(flags: int) -> int:
    return flags & ~3 | (flags & IN_A) << 1 | (flags & IN_B) >> 1


@settings(max_examples=200, deadline=None)
@given(GRAPHS, GRAPHS)
def test_the_other_way_round_it_is_the_mirror(a: Any, b: Any) -> None:
    left, right = functions(a), functions(b)
    assert rows(compare_graphs(left, right)) == rows(compare_graphs(right, left), turned=True)


@settings(max_examples=200, deadline=None)
@given(GRAPHS)
def test_a_graph_does_not_differ_from_itself(graph: Any) -> None:
    difference = compare_graphs(functions(graph), functions(graph))
    counts = difference.counts()
    assert counts["same"] == sum(counts.values()) == sum(len(nodes) + 2 for nodes in graph)


@settings(max_examples=200, deadline=None)
@given(GRAPHS, GRAPHS)
def test_every_node_is_there_once(a: Any, b: Any) -> None:
    left, right = functions(a), functions(b)
    difference = compare_graphs(left, right)
    for side, graph in (("a", left), ("b", right)):
        seen = {}
        for one in difference.graphs:
            if getattr(one, side) is not None:
                places = [row for row in getattr(one, f"row_{side}").tolist() if row >= 0]
                assert sorted(places) == list(range(len(getattr(one, side))))
                seen[getattr(one, side).name] = len(places)
        assert seen == {f.name: len(f.definition.node_def) + 2 for f in graph}
    for one in difference.graphs:
        assert one.input_start[-1] == len(one.input_node)
        assert ((one.input_node >= 0) & (one.input_node < len(one.flags))).all()
        assert (one.calls < len(difference.graphs)).all()


@settings(max_examples=200, deadline=None)
@given(GRAPHS, GRAPHS)
def test_pairs_have_one_op_and_flags_say_what_differs(a: Any, b: Any) -> None:
    difference = compare_graphs(functions(a), functions(b))
    for graph in difference.graphs:
        if graph.a is None or graph.b is None:
            continue
        of_a = dict(zip(graph.row_a.tolist(), graph.row_b.tolist(), strict=True))
        for i, j, flags in zip(graph.row_a.tolist(), graph.row_b.tolist(), graph.flags.tolist(), strict=True):
            if i < 0 or j < 0:
                continue
            assert graph.a.ops[i] == graph.b.ops[j]
            assert bool(flags & RENAMED) == (graph.a.names[i] != graph.b.names[j])
            node_a, node_b = (
                one.function.definition.node_def[row - 1] if 0 < row <= len(one.function.definition.node_def) else None
                for one, row in ((graph.a, i), (graph.b, j))
            )
            if node_a is not None and node_b is not None:
                assert bool(flags & CHANGED) == (
                    node_a.attr["value"].i != node_b.attr["value"].i
                    or graph.a.function.nodes[i - 1] != graph.b.function.nodes[j - 1]
                )
                assert bool(flags & REWIRED) == (inputs_of(graph.a, i, of_a) != inputs_of(graph.b, j, None))


def inputs_of(nodes: Any, row: int, of_a: dict[int, int] | None) -> tuple[list[Any], set[Any]]:
    """Where a node's inputs come from, by the rows of b; control inputs in no order."""
    first = {name: place for place, name in reversed(list(enumerate(nodes.names)))}
    data: list[Any] = []
    control = set()
    count = len(nodes.function.definition.node_def)
    for text in nodes.function.definition.node_def[row - 1].input if 0 < row <= count else ["a:o:0"] * (row > count):
        name, _, port = (text[1:], "", "^") if text.startswith("^") else text.partition(":")
        place: Any = first.get(name, name)
        if of_a is not None and name in first:
            place = of_a[first[name]] if of_a[first[name]] >= 0 else ("only a", first[name])
        if port == "^":
            control.add(place)
        else:
            data.append((place, port))
    return data, control


def test_functions_are_compared_in_pairs_by_who_calls_them() -> None:
    """Another function comes first, so that the numbers in the names have shifted."""

    def make(bodies: list[str]) -> list[GraphFunction]:
        traced = function_pb2.FunctionDef()
        traced.signature.name = "__inference_step_0"
        found = [traced]
        for number, op in enumerate(bodies):
            call = traced.node_def.add(name=f"call_{op}", op="PartitionedCall")
            call.attr["f"].func.name = f"__inference_inner_{number}"
            inner = function_pb2.FunctionDef()
            inner.signature.name = f"__inference_inner_{number}"
            inner.node_def.add(name="y", op=op)
            found.append(inner)
        return [GraphFunction(definition, definition.SerializeToString()) for definition in found]

    difference = compare_graphs(make(["Relu", "Tanh"]), make(["Elu", "Relu", "Tanh"]))
    pairs = [(graph.a and graph.a.name, graph.b and graph.b.name) for graph in difference.graphs]
    assert pairs == [
        ("__inference_step_0", "__inference_step_0"),
        ("__inference_inner_0", "__inference_inner_1"),
        ("__inference_inner_1", "__inference_inner_2"),
        (None, "__inference_inner_0"),
    ]
    assert difference.graphs[0].calls.tolist() == [3, 1, 2]
    assert difference.counts() == {"same": 4, "changed": 0, "rewired": 0, "added": 2, "removed": 0, "renamed": 0}


def test_an_insertion_is_seen_where_it_is() -> None:
    layers = [Layer("dense", "d0"), Layer("relu", "r0"), Layer("dense", "d1")]
    a, b = (
        train_step(layers, optimizer=False),
        train_step([*layers[:2], Layer("relu", "new"), layers[2]], optimizer=False),
    )
    difference = compare_graphs([a.function], [b.function])
    (graph,) = difference.graphs
    new = [graph.b.names[j] for i, j in zip(graph.row_a, graph.row_b, strict=True) if i < 0]  # type: ignore[union-attr]
    assert new == ["model/relu_1/Relu", "gradient_tape/model/relu_1/ReluGrad"]
    assert difference.counts()["added"] == 2
    rewired = {graph.b.names[graph.row_b[row]] for row in range(len(graph.flags)) if graph.flags[row] & REWIRED}  # type: ignore[union-attr]
    assert rewired == {
        "model/dense_1/MatMul",
        "gradient_tape/model/dense_1/MatMul/MatMul_1",
        "gradient_tape/model/relu/ReluGrad",
    }
    names = [
        (graph.b if j >= 0 else graph.a).names[j if j >= 0 else i]
        for i, j in zip(graph.row_a, graph.row_b, strict=True)
    ]  # type: ignore[union-attr]
    assert names.index("model/relu/Relu") < names.index("model/relu_1/Relu") < names.index("model/dense_1/MatMul")


def test_control_inputs_have_no_order_and_are_marked() -> None:
    def make(inputs: list[str]) -> list[GraphFunction]:
        definition = function_pb2.FunctionDef()
        for name in "ab":
            definition.node_def.add(name=name, op="Const")
        definition.node_def.add(name="c", op="Identity", input=inputs)
        return [GraphFunction(definition, definition.SerializeToString())]

    difference = compare_graphs(make(["a:o:0", "^a", "^b"]), make(["a:o:0", "^b", "^a"]))
    assert difference.counts()["rewired"] == 0
    graph = difference.graphs[0]
    assert sorted(zip(graph.input_node.tolist(), graph.input_flags.tolist(), strict=True)) == [
        (0, IN_A | IN_B),
        (0, IN_A | IN_B | CONTROL),
        (1, IN_A | IN_B | CONTROL),
    ]
    assert compare_graphs(make(["a:o:0"]), make(["a:o:1"])).counts()["rewired"] == 1


def chain(size: int, *, name: str = "node_{}", op: str = "Relu", source: str = "node_{}:o:0") -> list[GraphFunction]:
    definition = function_pb2.FunctionDef()
    for number in range(size):
        definition.node_def.add(name=name.format(number), op=op, input=[source.format(number - 1)])
    return [GraphFunction(definition, definition.SerializeToString())]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (chain(20_000), chain(20_001)),  # all alike
        (chain(20_000, name="same"), chain(20_001, name="same")),  # one name
        (chain(20_000, name="", source=""), chain(19_999, name="", source="")),
        (chain(5000, source="node_4999:o:0"), chain(5001, source="node_4999:o:0")),  # one consumer of all
        (chain(3000, source="node_{0}:o:0"), chain(3001, source="node_{0}:o:0", op="Elu")),  # nothing alike
        (chain(20_000, name="/" * 50 + "{}"), chain(20_001, name="/" * 50 + "{}_1")),
    ],
    ids=["chain", "one name", "no names", "star", "nothing alike", "slashes"],
)
def test_graphs_that_no_program_makes_are_compared_all_the_same(a: Any, b: Any) -> None:
    counts = compare_graphs(a, b).counts()
    assert counts["removed"] + counts["same"] + counts["changed"] + counts["rewired"] >= len(a[0].definition.node_def)


def test_a_cycle_is_a_cycle_on_both_sides() -> None:
    def make(size: int) -> list[GraphFunction]:
        definition = function_pb2.FunctionDef()
        for number in range(size):
            definition.node_def.add(name=f"n{number}", op="Merge", input=[f"n{(number + 1) % size}:o:0", "n0:o:0"])
        return [GraphFunction(definition, definition.SerializeToString())]

    assert compare_graphs(make(5), make(5)).counts()["same"] == 5
    assert compare_graphs(make(5), make(7)).counts()["added"] == 2


def test_functions_that_call_each_other_in_a_circle() -> None:
    def make() -> list[GraphFunction]:
        found = []
        for number in range(3):
            definition = function_pb2.FunctionDef()
            definition.signature.name = f"f_{number}"
            definition.node_def.add(name="call", op="PartitionedCall").attr["f"].func.name = f"f_{(number + 1) % 3}"
            found.append(GraphFunction(definition, definition.SerializeToString()))
        return found

    difference = compare_graphs(make(), make())
    assert [graph.calls.tolist() for graph in difference.graphs] == [[1], [2], [0]]
    assert compare_graphs(make(), make()[:1]).counts()["removed"] == 2


def test_too_large_graphs_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_module, "MAX_COMPARED_NODES", 10)
    with pytest.raises(GraphError, match="it has 11 nodes; graphs of at most 10 nodes are compared"):
        compare_graphs(chain(5), chain(11))
    monkeypatch.undo()
    monkeypatch.setattr(nodes_module, "MAX_COMPARED_INPUTS", 10)
    with pytest.raises(GraphError, match="inputs"):
        compare_graphs(chain(5), chain(11))


def test_nodes_are_read_as_protobuf_reads_them() -> None:
    """Also where their fields lie in another order, come twice, or are unknown."""
    plain = unrolled(2).function
    node = plain.definition.node_def[1].SerializeToString(deterministic=True)
    for data in (
        node,
        node + b"\x0a\x05again",  # the name once more: the last one counts
        b"\x2a\x00" + node,
        node + b"\xfa\x3e\x03abc",
    ):
        shared = nodes_module.Shared()
        parsed = shared._message(data)
        read = shared.node(data)
        assert (read.name, read.op, read.inputs) == (parsed.name, parsed.op, tuple(parsed.input))
        assert dict(shared.rests[read.rest].attr) == dict(parsed.attr)
    with pytest.raises(GraphError, match="damaged"):
        nodes_module.Shared().node(b"\x0a\xff\xff\xff\xff\x0f")
