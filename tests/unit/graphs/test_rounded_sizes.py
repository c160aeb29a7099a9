"""Graphs that round what they divide by a size: of a known size TensorFlow multiplies by its inverse."""

from __future__ import annotations

from typing import Any

import pytest
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.rounded_sizes import rounds_after_sizes

FLOAT, INT32 = 1, 3


def graph(*nodes: tuple[str, str, list[str]], to: int = INT32) -> list[GraphFunction]:
    definition: Any = function_pb2.FunctionDef()
    definition.signature.input_arg.add(name="x", type=FLOAT)
    for name, op, inputs in nodes:
        node = definition.node_def.add(name=name, op=op, input=inputs)
        if op == "Cast":
            node.attr["DstT"].type = FLOAT if name.startswith("float") else to
    return [GraphFunction(definition)]


SIZE = [("Shape_1", "Const", []), ("at", "StridedSlice", ["Shape_1:output:0"]), ("float", "Cast", ["at:output:0"])]
ASKED = [("shape", "Shape", ["x"]), *SIZE[1:]]
ASKED[1] = ("at", "StridedSlice", ["shape:output:0"])
DIVIDED = ("truediv", "RealDiv", ["x", "float:y:0"])


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([*SIZE, DIVIDED, ("neg", "Neg", ["truediv:z:0"]), ("sign", "Sign", ["neg:y:0"])], "Sign"),
        ([*ASKED, DIVIDED, ("whole", "Cast", ["truediv:z:0"])], "Cast"),
        ([*SIZE, DIVIDED, ("float_1", "Cast", ["truediv:z:0"])], ""),
        ([*SIZE, DIVIDED, ("like", "ZerosLike", ["truediv:z:0"]), ("round", "Round", ["like:y:0"])], ""),
        ([*SIZE, ("round", "Round", ["x"]), ("truediv", "RealDiv", ["round:y:0", "float:y:0"])], ""),
        ([("Const", "Const", []), ("d", "RealDiv", ["x", "Const:output:0"]), ("round", "Round", ["d:z:0"])], ""),
        ([*SIZE, ("gradient_tape/d", "RealDiv", ["x", "float:y:0"]), ("s", "Sign", ["gradient_tape/d:z:0"])], ""),
        ([*SIZE, ("d", "RealDiv", ["float:y:0", "at:output:0"]), ("floor", "Floor", ["d:z:0"])], ""),
    ],
)
def test_what_rounds_what_is_divided_by_a_size(nodes: Any, expected: str) -> None:
    assert rounds_after_sizes(graph(*nodes)) == expected
