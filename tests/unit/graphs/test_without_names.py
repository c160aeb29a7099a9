"""Graphs that are the same but for what their operations are called."""

from __future__ import annotations

from tensorboard.compat.proto import function_pb2, types_pb2

from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.without_names import hash_without_names, without_names


def hashed(scope: str, *, op: str = "Relu", takes: str = "x", gives: str = "relu", called: str = "body") -> str:
    """A function of two operations that calls another one."""
    outer, inner = function_pb2.FunctionDef(), function_pb2.FunctionDef()
    outer.signature.name, inner.signature.name = "f", f"{scope}_body"
    for function in (outer, inner):
        for name in ("x", "y"):
            function.signature.input_arg.add(name=name if function is outer else f"{scope}_{name}")
    outer.node_def.add(name=f"{scope}/relu", op=op, input=[takes])
    loop = outer.node_def.add(name=f"{scope}/while", op="While", input=[f"{scope}/relu:activations:0", "^x"])
    loop.attr["body"].func.name = f"{scope}_{called}"
    loop.attr["T"].type = types_pb2.DT_FLOAT
    outer.signature.output_arg.add(name=f"{scope}_result")
    outer.ret[f"{scope}_result"] = f"{scope}/{gives}:output:0"
    outer.control_ret["while"] = f"{scope}/while"
    inner.node_def.add(name=f"{scope}/relu", op="Relu", input=[f"{scope}_x"])
    return hash_without_names(without_names([FunctionGraph(outer), FunctionGraph(inner)]))


def test_names_make_no_difference() -> None:
    assert hashed("a") == hashed("b")


def test_what_is_wired_or_done_otherwise_does() -> None:
    others = hashed("b", op="Tanh"), hashed("b", takes="y"), hashed("b", gives="while"), hashed("b", called="other")
    assert len({hashed("a"), *others}) == 5


def test_the_graph_is_left_as_it_is() -> None:
    definition = function_pb2.FunctionDef()
    definition.node_def.add(name="relu", op="Relu", input=["x"])
    kept = definition.SerializeToString()
    without_names([FunctionGraph(definition)])
    assert definition.SerializeToString() == kept


def placed(scope: str, beside: str) -> str:
    """As the gradient of a lookup is placed beside what it looks up."""
    definition = function_pb2.FunctionDef()
    for name in (f"{scope}/table", f"{scope}/rows"):
        definition.node_def.add(name=name, op="Const")
    definition.node_def[1].attr["_class"].list.s.append(f"loc:@{beside}".encode())
    return hash_without_names(without_names([FunctionGraph(definition)]))


def test_nor_does_the_name_of_what_an_operation_is_placed_beside() -> None:
    assert placed("a", "a/table") == placed("b", "b/table")
    assert len({placed("a", "a/table"), placed("a", "a/rows"), placed("a", "x"), placed("a", "y")}) == 4
