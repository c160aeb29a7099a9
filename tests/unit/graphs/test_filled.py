"""Constants of one value, small and large, are the same node."""

from __future__ import annotations

from typing import Any

from tb_retrace_plugin.graphs.constants import Alike, Values, compare_alike
from tb_retrace_plugin.graphs.filled import fills_as_constants
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tests.unit.graphs.test_constants import FLOAT, INT32, Graph


def small(size: int) -> Graph:
    graph = Graph().constant("zeros", FLOAT, 0.0)
    graph.definition.node_def[-1].attr["value"].tensor.tensor_shape.dim.add(size=size)
    return graph.op("add", source="zeros:output:0")


def large(size: int) -> Graph:
    graph = Graph().constant("zeros/shape_as_tensor", INT32, size, scalar=False).constant("zeros/Const", FLOAT, 0.0)
    fill = graph.definition.node_def.add(name="zeros", op="Fill")
    fill.input.extend(["zeros/shape_as_tensor:output:0", "zeros/Const:output:0"])
    fill.attr["T"].type = FLOAT
    return graph.op("add", source="zeros:output:0")


def nodes(function: GraphFunction) -> list[tuple[Any, Any]]:
    return [(node.name, node.op) for node in function.definition.node_def]


def test_a_large_constant_is_one_node_as_a_small_one_is() -> None:
    folded = fills_as_constants(large(2_000).done())
    assert nodes(folded) == [("zeros", "Const"), ("add", "Mul")]
    assert compare_alike([small(20).done()], [large(2_000).done()]) is None
    assert compare_alike([small(20).done()], [folded]) == Alike([Values("float32", (0.0,) * 20, None, resized=True)])


def test_a_graph_without_one_is_left_as_it_is() -> None:
    function = small(20).done()
    assert fills_as_constants(function) is function


def test_of_a_size_that_the_graph_computes_it_is_an_operation() -> None:
    graph = large(2_000)
    graph.definition.node_def[2].input[0] = "x"
    function = graph.done()
    assert fills_as_constants(function) is function


def test_what_something_else_takes_too_stays() -> None:
    graph = large(2_000)
    graph.op("other", source="zeros/Const:output:0")
    assert ("zeros/Const", "Const") in nodes(fills_as_constants(graph.done()))
