"""Hashes that tell another attribute from another constant, name or operation."""

from __future__ import annotations

import pytest
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.attribute_hash import AttributeHash, attribute_hash, has_other_attributes
from tb_retrace_plugin.graphs.slim import FunctionGraph


def hashed(
    *, op: str = "MaxPool", key: str = "ksize", value: int = 2, name: str = "pool", constant: float = 1
) -> AttributeHash:
    definition = function_pb2.FunctionDef()
    scale = definition.node_def.add(name="scale", op="Const")
    scale.attr["value"].tensor.float_val.append(constant)
    definition.node_def.add(name=name, op=op, input=["x"]).attr[key].i = value
    return attribute_hash([FunctionGraph(definition)])


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (hashed(value=3), True),
        (hashed(constant=2), False),
        (hashed(name="pool_3"), False),
        (hashed(op="AvgPool"), False),
        (None, False),  # not known
    ],
)
def test_other_attributes(other: AttributeHash | None, expected: bool) -> None:
    assert has_other_attributes(hashed(), other) is expected


@pytest.mark.parametrize("key", ["seed", "output_shapes", "N"])
def test_what_a_tensor_does_for_is_none(key: str) -> None:
    of_another_op = hashed(op=f"With_{key}", key=key), hashed(op=f"With_{key}", key=key, value=3)
    assert not has_other_attributes(*of_another_op)


def test_a_list_that_was_empty_in_the_first_graph() -> None:
    definition = function_pb2.FunctionDef()
    paddings = definition.node_def.add(op="PaddedLater").attr["paddings"].list
    paddings.SetInParent()
    before = attribute_hash([FunctionGraph(definition)])
    paddings.i.extend([1, 2])
    assert has_other_attributes(before, attribute_hash([FunctionGraph(definition)]))
