"""Graphs that are the same whatever the sizes of what they take."""

from __future__ import annotations

from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.without_sizes import hash_without_sizes
from tests.unit.graphs.test_constants import FLOAT, INT32, Graph


def hashed(rows: int, *, scale: float = 2.0, op: str = "Mul", name: str = "sgd/scaled") -> str:
    graph = Graph().argument("rows", FLOAT, rows).constant("scale", FLOAT, scale).op(name, op)
    return hash_without_sizes([FunctionGraph(graph.definition)])


def test_a_size_makes_no_difference() -> None:
    assert hashed(2) == hashed(3)


def test_so_does_all_else() -> None:
    assert len({hashed(2), hashed(2, scale=3.0), hashed(2, op="Add")}) == 3


def test_nor_does_what_operations_are_called() -> None:
    """Keras' SGD in the call that builds it, and in those after that."""
    assert hashed(2, name="sgd_1/scaled") == hashed(2)


def with_gradient(rows: int, *, divisor: float = 1.0, by: str = "RealDiv", scope: str = "gradient_tape/") -> str:
    """Of a mean: TensorFlow makes the shape to sum to, and the number of rows, of what the forward pass takes."""
    graph = Graph().argument("rows", FLOAT, rows)
    graph.constant(f"{scope}mean/Shape", INT32, rows, 4, scalar=False).op("reshape", "Reshape")
    graph.constant(f"{scope}mean/Const", FLOAT, divisor).op(f"{scope}mean/truediv", by)
    return hash_without_sizes([FunctionGraph(graph.definition)])


def test_sizes_that_gradients_hold_make_no_difference() -> None:
    assert with_gradient(32, divisor=32.0) == with_gradient(7, divisor=7.0)


def test_numbers_that_gradients_hold_do() -> None:
    """Such as that of a gradient which is reversed."""
    assert len({with_gradient(4, divisor=1 / n) for n in (3, 7)}) == 2
    assert len({with_gradient(4, divisor=n, by="Mul") for n in (2.0, 3.0)}) == 2


def test_sizes_that_the_forward_pass_holds_do() -> None:
    assert with_gradient(32, scope="") != with_gradient(7, scope="")


def from_ones(rows: int, *, used_by: str = "gradient_tape/mul", name: str = "ones") -> str:
    graph = Graph().argument("rows", FLOAT, rows).constant(name, FLOAT, *[1.0] * rows, scalar=False)
    return hash_without_sizes([FunctionGraph(graph.op(used_by, "Mul").op("gradient_tape/add", "Add").definition)])


def test_the_ones_that_a_gradient_begins_with_make_no_difference() -> None:
    assert from_ones(32) == from_ones(7)
    assert from_ones(32, used_by="mul") != from_ones(7, used_by="mul")
    assert from_ones(32, name="weights") != from_ones(7, name="weights")
