"""Graphs that are the same whatever the sizes of what they take."""

from __future__ import annotations

from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.without_sizes import hash_without_sizes
from tests.unit.graphs.test_constants import FLOAT, Graph


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
