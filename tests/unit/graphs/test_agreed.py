"""Pairs that all neighbours agree on, and those that they leave open."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.agreed import Agreement
from tb_retrace_plugin.graphs.nodes import Nodes, Shared, read_nodes
from tb_retrace_plugin.graphs.read_graph import GraphFunction

Line = tuple[str, str, Sequence[str]]  # name, op, inputs


def nodes(shared: Shared, *lines: Line) -> Nodes:
    definition = function_pb2.FunctionDef()
    for name, op, inputs in lines:
        definition.node_def.add(name=name, op=op, input=inputs)
    return read_nodes(GraphFunction(definition, definition.SerializeToString(deterministic=True)), shared)


def agreed(a: Sequence[Line], b: Sequence[Line], matched: dict[str, str], most: int = 48) -> dict[str, str]:
    shared = Shared()
    left, right = nodes(shared, *a), nodes(shared, *b)
    of_a, of_b = np.full(len(left), -1), np.full(len(right), -1)
    for one, other in matched.items():
        of_a[left.index[one]], of_b[right.index[other]] = right.index[other], left.index[one]
    rows, others = Agreement(left, right, most).pairs(of_a, of_b)
    return {left.names[row]: right.names[other] for row, other in zip(rows.tolist(), others.tolist(), strict=True)}


def test_the_only_consumer_of_its_op_at_that_place() -> None:
    a = [("x", "Const", []), ("f", "Neg", ["x:output:0"]), ("g", "Exp", ["x:output:0"])]
    b = [("x", "Const", []), ("new", "Exp", ["x:output:0"]), ("other", "Neg", ["x:output:0"])]
    assert agreed(a, b, {"x": "x"}) == {"f": "other", "g": "new"}


def test_two_that_could_be_it_are_left_open() -> None:
    a = [("x", "Const", []), ("f", "Neg", ["x:output:0"])]
    b = [("x", "Const", []), ("f", "Neg", ["x:output:0"]), ("g", "Neg", ["x:output:0"])]
    assert agreed(a, b, {"x": "x"}) == {}
    assert agreed(b, a, {"x": "x"}) == {}


def test_an_input_of_matched_consumers_at_the_same_place() -> None:
    a = [("c", "Const", []), ("d", "Const", []), ("f", "Sub", ["c:output:0", "d:output:0"])]
    b = [("d", "Const", []), ("e", "Const", []), ("f", "Sub", ["d:output:0", "e:output:0"])]
    assert agreed(a, b, {"f": "f"}) == {"c": "d", "d": "e"}


def test_neighbours_that_say_otherwise_leave_it_open() -> None:
    a = [("x", "Const", []), ("y", "Abs", []), ("f", "Sub", ["x:output:0", "y:output:0"])]
    b = [
        ("x", "Const", []), ("y", "Abs", []), ("z", "Exp", []),
        ("f", "Sub", ["x:output:0", "z:output:0"]), ("g", "Sub", ["z:output:0", "y:output:0"]),
    ]  # fmt: skip
    assert agreed(a, b, {"x": "x", "y": "y"}) == {}


def test_other_ops_ports_and_places_are_no_pair() -> None:
    a = [("x", "Split", []), ("y", "Const", []), ("f", "Sub", ["x:output:0", "y:output:0"])]
    for line in (
        ("f", "Add", ["x:output:0", "y:output:0"]),
        ("f", "Sub", ["x:output:1", "missing:output:0"]),
        ("f", "Sub", ["y:output:0", "x:output:0"]),
    ):
        assert agreed(a, [("x", "Split", []), ("y", "Const", []), line], {"x": "x", "y": "y"}) == {}
    # the same place of consumers that are matched, and another op there
    assert agreed([("x", "Const", []), *a[2:]], [("x", "Abs", []), *a[2:]], {"f": "f"}) == {}


def test_a_source_of_many_says_nothing_of_one() -> None:
    a = [("x", "Const", []), *[(f"f{i}", f"Op{i}", ["x:output:0"]) for i in range(4)]]
    assert len(agreed(a, a, {"x": "x"})) == 4
    assert agreed(a, a, {"x": "x"}, most=3) == {}


def test_empty_and_missing() -> None:
    assert agreed([], [], {}) == {}
    a: list[Line] = [("f", "Neg", ["gone:output:0", "^away"])]
    assert agreed(a, a, {}) == {}
