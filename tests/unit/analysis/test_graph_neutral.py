"""Which value is neutral for an argument of a graph (against TensorFlow: tests/capture/test_neutral_values.py)."""

from __future__ import annotations

import pytest
from tensorboard.compat.proto import function_pb2, types_pb2

from tb_retrace_plugin.analysis.for_advice.graph_neutral import neutral_value
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import NeutralValue
from tb_retrace_plugin.graphs.read_graph import GraphFunction


def graph(
    *nodes: tuple[str, str, list[str]], ret: str, shapes: list[tuple[int, ...]] | None = None, **constants: float
) -> GraphFunction:
    """Of `x` and `b`. `shapes`: of these, and of the nodes."""
    found = function_pb2.FunctionDef()
    for name in ("x", "b"):
        found.signature.input_arg.add(name=name, type=types_pb2.DT_FLOAT)
    for name, value in constants.items():
        node = found.node_def.add(name=name, op="Const")
        node.attr["dtype"].type = node.attr["value"].tensor.dtype = types_pb2.DT_FLOAT
        node.attr["value"].tensor.float_val.append(value)
    for name, op, inputs in nodes:
        found.node_def.add(name=name, op=op, input=inputs)
    found.ret["out"] = ret
    if shapes is None:
        return GraphFunction(found)
    return GraphFunction(found, b"", [(one,) for one in shapes], [0, 1], range(2, len(shapes)))


def test_a_value_is_followed_through_what_is_computed_of_it() -> None:
    nodes = ("sub", "Sub", ["one", "b"]), ("mul", "Mul", ["sub:z:0", "far"]), ("add", "AddV2", ["x", "mul:z:0"])
    found = neutral_value(graph(*nodes, ret="add:z:0", one=1.0, far=-1e9), 1, None)
    assert found == NeutralValue("ones", frozenset({"Sub"}))
    found = neutral_value(graph(*nodes, ret="add:z:0", one=2.0, far=-1e9), 1, None)
    assert found == NeutralValue("none", frozenset({"Sub"}))


def test_what_the_graph_without_it_does_not_compute_is_told() -> None:
    without = graph(("sin", "Sin", ["x"]), ret="sin:y:0")
    nodes = ("sin", "Sin", ["x"]), ("mul", "Mul", ["sin:y:0", "b"])
    assert neutral_value(graph(*nodes, ret="mul:z:0"), 1, without) == NeutralValue(
        "ones", frozenset({"Mul"}), frozenset()
    )
    more = *nodes, ("abs", "Abs", ["mul:z:0"])
    found = neutral_value(graph(*more, ret="abs:y:0"), 1, without)
    assert found == NeutralValue("ones", frozenset({"Mul"}), frozenset({"Abs"}))
    shifted = *nodes, ("add", "AddV2", ["mul:z:0", "c"])
    found = neutral_value(graph(*shifted, ret="add:z:0", c=2.0), 1, without)
    assert found == NeutralValue("ones", frozenset({"Mul"}), frozenset({"AddV2", "the constant 2"}))


def test_of_zeros_and_ones_the_one_is_told_that_leaves_the_graph_as_it_was() -> None:
    """A term of its own vanishes with zeros; with ones its factor would be added."""
    without = graph(("sin", "Sin", ["x"]), ret="sin:y:0")
    nodes = ("sin", "Sin", ["x"]), ("cos", "Cos", ["x"]), ("mul", "Mul", ["cos:y:0", "b"])
    found = neutral_value(graph(*nodes, ("add", "AddV2", ["sin:y:0", "mul:z:0"]), ret="add:z:0"), 1, without)
    assert found == NeutralValue("zeros", frozenset({"Mul"}), frozenset())
    # which of both it is, the graph without it tells
    assert neutral_value(graph(*nodes, ("add", "AddV2", ["sin:y:0", "mul:z:0"]), ret="add:z:0"), 1, None) is None


def test_what_becomes_larger_by_it_is_another_result() -> None:
    nodes = ("mul", "Mul", ["x", "b"])
    assert neutral_value(graph(nodes, ret="mul:z:0", shapes=[(3,), (3,), (3,)]), 1, None) is not None
    found = neutral_value(graph(nodes, ret="mul:z:0", shapes=[(3,), (3, 1), (3, 3)]), 1, None)
    assert found == NeutralValue("none", frozenset({"Mul"}))


@pytest.mark.parametrize("op", ["PartitionedCall", "StatelessIf", "While", "MapDefun"])
def test_what_another_graph_does_with_it_is_not_known(op: str) -> None:
    assert neutral_value(graph(("call", op, ["x", "b"]), ret="call:output:0"), 1, None) is None


def test_what_takes_no_values_of_it_needs_none() -> None:
    nodes = ("shape", "Shape", ["b"]), ("sin", "Sin", ["x"])
    assert neutral_value(graph(*nodes, ret="sin:y:0"), 1, None) is None
    assert neutral_value(graph(*nodes, ret="sin:y:0"), 2, None) is None
    returned = ("same", "Identity", ["b"])
    assert neutral_value(graph(returned, ret="same:output:0"), 1, None) == NeutralValue("none")
