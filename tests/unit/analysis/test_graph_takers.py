"""Which operations take an argument of a graph."""

from __future__ import annotations

from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.analysis.for_advice.graph_takers import operations_that_take


def definition(*nodes: tuple[str, str, list[str]]) -> function_pb2.FunctionDef:
    found = function_pb2.FunctionDef()
    for name in ("x", "bias"):
        found.signature.input_arg.add(name=name)
    for name, op, inputs in nodes:
        found.node_def.add(name=name, op=op, input=inputs)
    return found


def test_what_passes_it_on_is_looked_through() -> None:
    graph = definition(
        ("cast", "Cast", ["bias"]), ("shape", "Shape", ["bias"]), ("add", "AddV2", ["x", "cast:y:0"]),
        ("mul", "Mul", ["add:z:0", "x"]),
    )  # fmt: skip
    assert operations_that_take(graph, 1) == {"AddV2"}
    assert operations_that_take(graph, 0) == {"AddV2", "Mul"}
    assert operations_that_take(graph, 2) is None


def test_what_it_is_subtracted_from_is_told_apart() -> None:
    assert operations_that_take(definition(("sub", "Sub", ["x", "bias"])), 1) == {"Sub"}
    assert operations_that_take(definition(("sub", "Sub", ["bias", "x"])), 1) == {"Sub from"}
