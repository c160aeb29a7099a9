"""Slimmed graphs: equal where the graphs are equal, small, whole."""

from __future__ import annotations

import hashlib
from typing import Any

from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction, read_graph
from tb_retrace_plugin.graphs.slim import MAX_ATTRIBUTE_BYTES, FunctionGraph, SlimGraph, slim_graph


def graph(number: int, *, op: str = "Relu", constant: bytes = b"") -> list[FunctionGraph]:
    """A function that calls another; all are numbered by a process-wide counter."""
    traced = function_pb2.FunctionDef()
    traced.signature.name = f"__inference_step_3_{number + 2}"
    traced.resource_arg_unique_id[0] = number
    call = traced.node_def.add(name="call", op="PartitionedCall")
    call.attr["f"].func.name = f"__inference_inner_{number}"
    call.attr["_gradient_op_type"].s = f"PartitionedCall-{number}".encode()
    branch = traced.node_def.add(name="branch", op="Case")
    branch.attr["branches"].list.func.add(name=f"cond_true_{number + 1}_grad_0")
    const = traced.node_def.add(name="const", op="Const")
    const.attr["value"].tensor.dtype = 1
    const.attr["value"].tensor.tensor_shape.dim.add(size=7)
    const.attr["value"].tensor.tensor_content = constant
    const.attr["dtype"].type = 1
    inner = function_pb2.FunctionDef()
    inner.signature.name = f"__inference_inner_{number}"
    inner.attr["forward_function_name"].s = f"__forward_inner_{number + 5}".encode()
    inner.attr["itself"].s = f"__inference_inner_{number}".encode()
    inner.node_def.add(name="x", op=op).attr["value"].tensor.tensor_content = constant
    body = function_pb2.FunctionDef()
    body.signature.name = f"cond_true_{number + 1}_grad_0"
    body.signature.input_arg.add(name=f"while_while_cond_{number + 1}___redundant_placeholder1")
    return [
        FunctionGraph(traced, [(), ((2, None),), (None, ())], [], [1, 0, 2]),
        FunctionGraph(inner),
        FunctionGraph(body),
    ]


def read(slim: SlimGraph) -> list[GraphFunction]:
    assert hashlib.sha256(slim.content).hexdigest() == slim.sha256
    return read_graph(slim.content)


def test_the_same_code_traced_twice_is_the_same_graph() -> None:
    assert slim_graph(graph(7)).sha256 == slim_graph(graph(1234)).sha256
    assert slim_graph(graph(7)).sha256 != slim_graph(graph(7, op="Tanh")).sha256


def test_functions_are_named_by_their_order_wherever_they_are_named() -> None:
    traced, inner, body = (function.definition for function in read(slim_graph(graph(7))))
    names = traced.signature.name, inner.signature.name, body.signature.name
    assert names == ("__inference_step_3_0", "__inference_inner_0", "cond_true_grad_0")
    assert traced.node_def[0].attr["f"].func.name == "__inference_inner_0"
    assert traced.node_def[1].attr["branches"].list.func[0].name == "cond_true_grad_0"
    assert inner.attr["itself"].s == b"__inference_inner_0"
    assert inner.attr["forward_function_name"].s == b"__forward_inner"
    assert body.signature.input_arg[0].name == "while_while_cond___redundant_placeholder1"
    assert "_gradient_op_type" not in traced.node_def[0].attr


def test_two_functions_of_one_name_stay_two() -> None:
    other = function_pb2.FunctionDef()
    other.signature.name = "__inference_inner_9"
    functions = read(slim_graph([*graph(3), FunctionGraph(other)]))
    assert [function.name for function in functions[1::2]] == ["__inference_inner_0", "__inference_inner_1"]


def test_large_constants_go_and_are_counted_in_functions_too() -> None:
    large, small = graph(1, constant=b"x" * 5000), graph(1, constant=b"x" * (MAX_ATTRIBUTE_BYTES // 4))
    slim = slim_graph(large)
    assert slim.attributes_dropped == 2
    assert slim.raw_bytes > 2 * 5000
    assert len(slim.content) < 1000
    const = read(slim)[0].definition.node_def[2]
    assert const.attr["value"].placeholder.startswith("float32 (7,), not stored: 5,0")
    assert const.attr["dtype"].type == 1
    assert slim_graph(small).attributes_dropped == 0


def test_graphs_with_other_large_constants_are_other_graphs() -> None:
    hashes = {slim_graph(graph(number, constant=bytes([i]) * 5000)).sha256 for i in (1, 2) for number in (7, 1234)}
    assert len(hashes) == 2


def test_which_functions_are_called_is_kept_however_many() -> None:
    functions = graph(3)
    for number in range(200):
        functions[0].definition.node_def[1].attr["branches"].list.func.add(name=f"branch_{number}_of_many")
    slim = slim_graph(functions)
    assert slim.attributes_dropped == 0
    assert len(read(slim)[0].definition.node_def[1].attr["branches"].list.func) == 201


def loop(number: int) -> list[FunctionGraph]:
    """A loop's body as TensorFlow makes it of two captured tensors without names: numbers of the process."""
    definition = function_pb2.FunctionDef()
    definition.signature.name = f"while_body_{number}"
    for index, name in enumerate(["while_placeholder_1", f"while_{number + 9}_0", f"while_{number + 11}"]):
        definition.signature.input_arg.add(name=name)
        definition.arg_attr[index].attr["_user_specified_name"].s = name.removesuffix("_0").replace("_", "/").encode()
    del definition.arg_attr[0].attr["_user_specified_name"]
    definition.signature.output_arg.add(name=f"while_{number + 9}")
    definition.ret[f"while_{number + 9}"] = f"while_{number + 9}_0"
    definition.node_def.add(
        name="while/mul_1", op="Mul", input=["while_placeholder_1", f"while_{number + 11}", f"^while_{number + 9}_0"]
    )
    return [FunctionGraph(definition, captured=[f"while/{number + 9}", f"while/{number + 11}"])]


def test_captured_tensors_without_a_name_are_called_by_their_order() -> None:
    assert slim_graph(loop(70)).content == slim_graph(loop(5702)).content
    definition = read(slim_graph(loop(70)))[0].definition
    assert [argument.name for argument in definition.signature.input_arg] == [
        "while_placeholder_1", "while_captured0_0", "while_captured1",
    ]  # fmt: skip
    assert [argument.name for argument in definition.signature.output_arg] == ["while_captured0"]
    assert dict(definition.ret) == {"while_captured0": "while_captured0_0"}
    assert list(definition.node_def[0].input) == ["while_placeholder_1", "while_captured1", "^while_captured0_0"]


def test_a_loops_own_numbers_stay() -> None:
    """Where the numbers of the process are as small, as in its first graphs."""

    def own(number: int) -> list[FunctionGraph]:
        functions = loop(number)
        functions[0].definition.signature.input_arg.add(name="while_placeholder_19")
        return functions

    assert slim_graph(own(10)).content == slim_graph(own(8)).content == slim_graph(own(5702)).content


def test_names_that_would_meet_stay() -> None:
    functions = loop(70)
    functions[0].definition.signature.input_arg.add(name="while_captured1")
    names = [argument.name for argument in read(slim_graph(functions))[0].definition.signature.input_arg]
    assert names == ["while_placeholder_1", "while_79_0", "while_81", "while_captured1"]


def test_what_is_placed_beside_a_captured_variable_is_told_by_its_order() -> None:
    def beside(*numbers: int) -> SlimGraph:
        definition = function_pb2.FunctionDef()
        for number in numbers:
            lookup = definition.node_def.add(name=f"lookup_{len(definition.node_def)}", op="ResourceGather")
            lookup.attr["_class"].list.s[:] = [f"loc:@embedding_lookup/{number}".encode(), b"loc:@dense/kernel"]
        return slim_graph([FunctionGraph(definition)])

    assert beside(33, 37).content == beside(111, 115).content
    assert beside(33, 33).content != beside(33, 37).content
    nodes = read(beside(33, 37))[0].definition.node_def
    assert [list(node.attr["_class"].list.s) for node in nodes] == [
        [b"loc:@embedding_lookup/captured0", b"loc:@dense/kernel"],
        [b"loc:@embedding_lookup/captured1", b"loc:@dense/kernel"],
    ]


def test_what_a_function_implements_is_told_without_its_uuid() -> None:
    def implementing(*names: str) -> list[FunctionGraph]:
        functions = []
        for index, name in enumerate(names):
            definition = function_pb2.FunctionDef()
            definition.signature.name = f"__inference_f{index}_7"
            definition.attr["api_implements"].s = name.encode()
            functions.append(FunctionGraph(definition))
        return functions

    one, other = "lstm_efa0a035-6292-4f06-92b5-edb30a184400", "lstm_7c221b84-c352-465d-a620-ceea074400ff"
    assert slim_graph(implementing(one, one)).content == slim_graph(implementing(other, other)).content
    assert slim_graph(implementing(one, one)).content != slim_graph(implementing(one, other)).content
    (kept,) = read(slim_graph(implementing("embedded_matmul")))
    assert kept.definition.attr["api_implements"].s == b"embedded_matmul"


def test_calls_of_python_functions_are_told() -> None:
    def calls(*tokens: int) -> SlimGraph:
        definition = function_pb2.FunctionDef()
        for token in tokens:
            definition.node_def.add(op="EagerPyFunc").attr["token"].s = b"pyfunc_%d" % token
        return slim_graph([FunctionGraph(definition)])

    assert calls(7, 8, 7).content == calls(31, 5, 31).content != calls(7, 8, 8).content
    assert calls(7).calls_python
    assert not slim_graph(graph(7)).calls_python


def test_shapes_come_back() -> None:
    definition = function_pb2.FunctionDef()
    for name in "abcd":
        definition.node_def.add(name=name)
    lists: list[Any] = [(), ((2, None),), (None, ())]
    (function,) = read(slim_graph([FunctionGraph(definition, lists, [], [1, 0, 2, 1])]))
    assert [function.shapes[index] for index in function.nodes] == [lists[1], lists[0], lists[2], lists[1]]


def test_a_graph_that_waits_for_others_is_known_by_its_ops() -> None:
    for op in ("CollectiveReduce", "CollectiveReduceV2", "CollectiveGatherV2", "CollectiveBcastRecvV2"):
        assert slim_graph(graph(7, op=op)).is_collective  # in a function that the traced one calls
    for op in ("Relu", "CollectiveInitializeCommunicator", "MyCollectiveReduce"):
        assert not slim_graph(graph(7, op=op)).is_collective
    named = graph(7)
    named[0].definition.node_def.add(name="CollectiveReduceV2", op="Relu", input=["CollectiveReduceV2_1"])
    assert not slim_graph(named).is_collective
