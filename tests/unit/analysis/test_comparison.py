"""What a node's panel says, against the flags of its row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings

from tb_retrace_plugin.analysis.pages.comparison import Comparison, compare_node, compare_traces, first_differences
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.graphs.difference import CHANGED, IN_A, IN_B, REWIRED
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.labelled_graphs import Layer, train_step
from tests.unit.graphs.test_difference import GRAPHS, functions


def comparison(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> Comparison:
    session = Session("s", "run", 0)
    group = FunctionGroup(session, 0, pb.Function(name="step"))
    events = [TraceEvent(pb.Trace(seq=seq, n=seq), session, group, 1) for seq in (1, 2)]
    return compare_traces(events[0], events[1], a, b)


def assert_agrees_with_flags(compared: Comparison) -> None:
    differing = []
    for number, graph in enumerate(compared.difference.graphs):
        for row, flags in enumerate(graph.flags.tolist()):
            node = compare_node(compared, number, row)
            assert node is not None
            both = flags & (IN_A | IN_B) == IN_A | IN_B
            assert any(one["changed"] for one in node["attributes"]) == bool(both and flags & CHANGED), node
            assert any(one["changed"] for one in node["inputs"]) == bool(both and flags & REWIRED), node
            if not both or flags & (CHANGED | REWIRED):
                differing.append((number, row))
    for most in (0, 3, 10_000):
        told, total = first_differences(compared, most)
        assert [(one["graph"], one["node"]) for one in told] == differing[:most]
        assert total == len(differing)


@settings(max_examples=150, deadline=None)
@given(GRAPHS, GRAPHS)
def test_a_node_says_what_its_flags_say(a: Any, b: Any) -> None:
    assert_agrees_with_flags(comparison(functions(a), functions(b)))


def test_an_input_under_another_name_is_the_same_input() -> None:
    layers = [Layer("dense", "d0"), Layer("norm", "n0"), Layer("dense", "d1"), Layer("relu", "r0")]
    a, b = train_step(layers), train_step([layers[0], Layer("dense", "new"), *layers[1:]])
    compared = comparison([a.function], [b.function])
    assert compared.difference.counts()["renamed"] > 5
    assert_agrees_with_flags(compared)
