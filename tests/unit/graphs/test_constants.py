"""Graphs that are built alike: which constants differ, and what else does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs import constants as module
from tb_retrace_plugin.graphs.constants import Alike, Values, compare_alike
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.stored import GraphError

FLOAT, INT32, INT64, RESOURCE, STRING = 1, 3, 9, 20, 7
FIELDS = {FLOAT: "float_val", INT32: "int_val", INT64: "int64_val", STRING: "string_val"}


class Graph:
    """A function that takes `x`; each operation has the one before as its input."""

    def __init__(self, name: str = "f") -> None:
        self.definition: Any = function_pb2.FunctionDef()
        self.definition.signature.name = name
        self.argument("x", FLOAT)
        self.latest = "x"

    def argument(self, name: str, dtype: int, size: int = 0) -> Graph:
        index = len(self.definition.signature.input_arg)
        self.definition.signature.input_arg.add(name=name, type=dtype)
        if size:
            self.definition.arg_attr[index].attr["_output_shapes"].list.shape.add().dim.add(size=size)
        return self

    def constant(self, name: str, dtype: int, *values: Any, scalar: bool = True) -> Graph:
        node = self.definition.node_def.add(name=name, op="Const")
        node.attr["dtype"].type = dtype
        tensor = node.attr["value"].tensor
        tensor.dtype = dtype
        if not scalar:
            tensor.tensor_shape.dim.add(size=len(values))
        getattr(tensor, FIELDS[dtype]).extend(values)
        self.latest = f"{name}:output:0"
        return self

    def op(self, name: str, op: str = "Mul", source: str = "", **attributes: int) -> Graph:
        node = self.definition.node_def.add(name=name, op=op, input=["x", source or self.latest])
        for key, value in attributes.items():
            node.attr[key].i = value
        self.latest = f"{name}:z:0"
        return self

    def assign(self, variable: str) -> Graph:
        self.definition.node_def.add(
            name=f"n{len(self.definition.node_def)}", op="AssignVariableOp", input=[variable, "x"]
        )
        return self

    def call(self, name: str, function: str) -> Graph:
        node = self.definition.node_def.add(name=name, op="PartitionedCall", input=[self.latest])
        node.attr["f"].func.name = function
        self.latest = f"{name}:output:0"
        return self

    def done(self) -> GraphFunction:
        return GraphFunction(self.definition, self.definition.SerializeToString(deterministic=True))


def compared(a: Graph | Sequence[Graph], b: Graph | Sequence[Graph]) -> Alike | None:
    sides = [[one.done() for one in (side if isinstance(side, list) else [side])] for side in (a, b)]
    return compare_alike(*sides)


def test_constants_that_differ_are_told_with_their_dtype_and_values() -> None:
    def graph(number: int) -> Graph:
        found = Graph().constant("half", FLOAT, 0.5).op("mul").constant("n", INT64, number).op("add")
        return found.constant("shape", INT32, number, 4, scalar=False).op("reshape")

    assert compared(graph(2), graph(3)) == Alike([Values("int64", 2, 3), Values("int32", (2, 4), (3, 4))])
    assert compared(graph(2), graph(2)) == Alike()


def test_other_nodes_or_other_wires_are_not_alike() -> None:
    plain = Graph().constant("n", FLOAT, 1.0).op("mul").op("sum")
    assert compared(plain, Graph().constant("n", FLOAT, 1.0).op("mul")) is None
    assert compared(plain, Graph().constant("n", FLOAT, 1.0).op("mul").op("sum", "Add")) is None
    assert compared(plain, Graph().constant("n", FLOAT, 1.0).op("mul").op("sum", source="n:output:0")) is None
    assert compared([plain, Graph("g")], plain) is None
    assert compared(plain, Graph().argument("y", FLOAT).constant("n", FLOAT, 1.0).op("mul").op("sum")) is None


def test_a_constant_of_another_shape() -> None:
    a, b = (Graph().constant("ones", FLOAT, *[1.0] * size, scalar=False).op("mul") for size in (2, 3))
    assert compared(a, b) == Alike([Values("float32", (1.0, 1.0), (1.0, 1.0, 1.0), resized=True)])


def test_other_names_are_no_difference() -> None:
    a = Graph().constant("n", FLOAT, 1.0).op("mul").op("sum")
    b = Graph().constant("step_1/n", FLOAT, 2.0).op("step_1/mul").op("step_1/sum")
    assert compared(a, b) == Alike([Values("float32", 1.0, 2.0)], names=("n", "step_1/n"))
    # `sum` is equal on both sides, and has its input from another node
    a = Graph().op("mul").op("neg", "Neg").op("sum", source="mul:z:0")
    b = Graph().op("neg", "Mul").op("mul", "Neg").op("sum", source="mul:z:0")
    assert compared(a, b) is None


def test_attributes_but_what_follows_from_a_shape() -> None:
    def graph(parts: int) -> Graph:
        found = Graph().op("split", "Split", num_split=parts)
        found.definition.node_def[0].attr["output_shapes"].list.shape.add().dim.add(size=parts)
        found.definition.node_def[0].attr["_class"].s = b"loc:%d" % parts
        return found

    assert compared(graph(2), graph(4)) == Alike(
        attributes=[("Split", "num_split")], numbers=[("Split", "num_split", 2, 4)]
    )


def test_numbers_that_are_attributes() -> None:
    def pool(size: int) -> Graph:
        found = Graph().op("pool", "MaxPool")
        found.definition.node_def[0].attr["ksize"].list.i.extend([1, size, size, 1])
        return found

    def slope(alpha: float) -> Graph:
        found = Graph().op("act", "LeakyRelu")
        found.definition.node_def[0].attr["alpha"].f = alpha
        return found

    told = compared(pool(2), pool(3))
    assert told is not None
    assert told.numbers == [("MaxPool", "ksize", 2, 3)]
    assert compared(slope(0.5), slope(0.25)) == Alike(
        attributes=[("LeakyRelu", "alpha")], numbers=[("LeakyRelu", "alpha", 0.5, 0.25)]
    )
    # the length of a tf.TensorArray, where it is known
    assert compared(Graph().op("s", "TensorListStack", num_elements=2), Graph().op("s", "TensorListStack")) == Alike()


def test_captures_have_other_names_or_shapes() -> None:
    def graph(name: str, size: int = 3) -> Graph:
        return Graph().argument(name, RESOURCE).argument("table", FLOAT, size).op("read", source=name)

    assert compared(graph("dense_kernel"), graph("dense_1_kernel")) == Alike(captures=True, renumbered=True)
    assert compared(graph("dense_kernel"), graph("dense_1_bias")) == Alike(captures=True)
    assert compared(graph("kernel"), graph("kernel", 4)) == Alike(captures=True)
    assert compared(graph("kernel"), graph("kernel")) == Alike()


def test_functions_are_the_same_by_their_place() -> None:
    def graph(inner: str, number: float, which: str = "") -> list[Graph]:
        return [Graph().call("call", which or inner), Graph(inner).constant("n", FLOAT, number).op("mul"), Graph("z")]

    assert compared(graph("body", 1.0), graph("body_of_dense_1", 2.0)) == Alike([Values("float32", 1.0, 2.0)])
    assert compared(graph("body", 1.0), graph("body", 1.0, "z")) == Alike(attributes=[("PartitionedCall", "f")])


def test_what_differs_too_much_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_DIFFERING", 3)
    graphs = [Graph(), Graph()]
    for n in range(4):
        graphs[0].constant(f"n{n}", FLOAT, 1.0)
        graphs[1].constant(f"n{n}", FLOAT, 2.0)
    with pytest.raises(GraphError, match="more than 3 nodes differ"):
        compared(*graphs)


def test_what_was_left_out_for_its_size_is_another_constant() -> None:
    def graph(hash_of_it: str) -> Graph:
        found = Graph().constant("table", FLOAT, 1.0)
        found.definition.node_def[0].attr["value"].placeholder = f"float32 (300,), not stored: {hash_of_it}"
        return found

    assert compared(graph("ab"), graph("cd")) == Alike([Values("float32", None, None)])
