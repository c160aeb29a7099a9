"""Graphs that are the same but for numbers."""

from __future__ import annotations

from tensorboard.compat.proto import function_pb2, types_pb2

from tb_retrace_plugin.graphs.number_constants import hash_without_numbers
from tb_retrace_plugin.graphs.slim import FunctionGraph


def hashed(value: float, *, size: int = 0, whole: bool = False, op: str = "Mul", placeholder: str = "") -> str:
    definition = function_pb2.FunctionDef()
    constant = definition.node_def.add(name="k", op="Const")
    is_whole = isinstance(value, int)
    constant.attr["dtype"].type = types_pb2.DT_INT32 if is_whole else types_pb2.DT_FLOAT
    if placeholder:
        constant.attr["value"].placeholder = placeholder
    else:
        tensor = constant.attr["value"].tensor
        tensor.dtype = constant.attr["dtype"].type
        if size:
            tensor.tensor_shape.dim.add(size=size)
        (tensor.int_val if is_whole else tensor.float_val).append(value)  # type: ignore[attr-defined]
    definition.node_def.add(name="y", op=op, input=["k"])
    return hash_without_numbers([FunctionGraph(definition)], whole=whole)


def test_fractions_make_no_difference() -> None:
    assert hashed(0.1) == hashed(0.2) != ""
    assert hashed(0.1, size=2) == hashed(0.2, size=2) != hashed(0.2, size=3)
    assert hashed(0.1) != hashed(0.2, op="AddV2")
    kept_out = (
        "float32 (999,), not stored: 4,000 bytes, SHA-256 ab",
        "float32 (999,), not stored: 4,000 bytes, SHA-256 c",
    )
    assert len({hashed(0.0, placeholder=text) for text in kept_out}) == 1
    assert hashed(0.0, placeholder=kept_out[0].replace("999", "998")) != hashed(0.0, placeholder=kept_out[0])


def test_tensors_of_another_shape_do() -> None:
    """As an argument each needs a trace."""

    def of_shape(*dims: int) -> str:
        definition = function_pb2.FunctionDef()
        definition.node_def.add(name="k", op="Const").attr["dtype"].type = types_pb2.DT_FLOAT
        return hash_without_numbers([FunctionGraph(definition, ((), (dims,)), (1,))], whole=False)

    assert of_shape(2) == of_shape(2) != of_shape(3)


def test_whole_numbers_do_unless_they_are_asked_for() -> None:
    assert hashed(1) == ""  # an axis, a shape
    assert hashed(1, whole=True) == hashed(2, whole=True) != ""
