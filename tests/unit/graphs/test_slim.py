"""Slimmed graphs: equal where the graphs are equal, small, whole."""

from __future__ import annotations

import hashlib
import zlib

from tensorboard.compat.proto import graph_pb2

from tb_retrace_plugin.graphs.slim import MAX_ATTRIBUTE_BYTES, slim_graph


def graph(number: int, *, op: str = "Relu", constant: bytes = b"") -> graph_pb2.GraphDef:
    """A graph that calls a library function numbered by a process-wide counter."""
    definition = graph_pb2.GraphDef()
    call = definition.node.add(name="call", op="PartitionedCall")
    call.attr["f"].func.name = f"__inference_inner_{number}"
    call.attr["_gradient_op_type"].s = f"PartitionedCall-{number}".encode()
    branch = definition.node.add(name="branch", op="Case")
    branch.attr["branches"].list.func.add(name=f"__inference_inner_{number}")
    const = definition.node.add(name="const", op="Const")
    const.attr["value"].tensor.tensor_content = constant
    const.attr["dtype"].type = 1
    function = definition.library.function.add()
    function.signature.name = f"__inference_inner_{number}"
    function.attr["forward_function_name"].s = f"__inference_inner_{number}".encode()
    inner = function.node_def.add(name="x", op=op)
    inner.attr["value"].tensor.tensor_content = constant
    return definition


def test_the_same_code_traced_twice_is_the_same_graph() -> None:
    assert slim_graph(graph(7)).sha256 == slim_graph(graph(1234)).sha256
    assert slim_graph(graph(7)).sha256 != slim_graph(graph(7, op="Tanh")).sha256


def test_data_is_the_hashed_graph() -> None:
    slim = slim_graph(graph(7))
    data = zlib.decompress(slim.data)
    assert hashlib.sha256(data).hexdigest() == slim.sha256
    read = graph_pb2.GraphDef.FromString(data)
    assert (read.node[0].attr["f"].func.name, read.library.function[0].signature.name) == ("__inference_inner_0",) * 2
    assert read.node[1].attr["branches"].list.func[0].name == "__inference_inner_0"
    assert read.library.function[0].attr["forward_function_name"].s == b"__inference_inner_0"
    assert "_gradient_op_type" not in read.node[0].attr
    assert slim.nodes == 3


def test_large_constants_go_and_are_counted_in_functions_too() -> None:
    large, small = graph(1, constant=b"x" * 5000), graph(1, constant=b"x" * (MAX_ATTRIBUTE_BYTES // 4))
    raw = large.ByteSize()
    slim = slim_graph(large)
    assert (slim.attributes_dropped, slim.raw_bytes) == (2, raw)
    assert len(zlib.decompress(slim.data)) < 1000
    read = graph_pb2.GraphDef.FromString(zlib.decompress(slim.data))
    assert "value" not in read.node[2].attr
    assert read.node[2].attr["dtype"].type == 1
    assert slim_graph(small).attributes_dropped == 0


def test_two_functions_of_one_name_stay_two() -> None:
    definition = graph(3)
    definition.library.function.add().signature.name = "__inference_inner_9"
    slim_graph(definition)
    assert [f.signature.name for f in definition.library.function] == ["__inference_inner_0", "__inference_inner_1"]
