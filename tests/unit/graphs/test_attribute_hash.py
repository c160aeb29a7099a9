"""Hashes that tell another attribute from another constant, name or operation."""

from __future__ import annotations

import pytest
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.attribute_hash import attribute_hash, has_other_attributes
from tb_retrace_plugin.graphs.slim import FunctionGraph


def hashed(*, op: str = "MaxPool", key: str = "ksize", value: int = 2, name: str = "pool", constant: float = 1) -> str:
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
        ("", False),  # not known
    ],
)
def test_other_attributes(other: str, expected: bool) -> None:
    assert has_other_attributes(hashed(), other) is expected


def test_what_follows_from_a_number_or_is_printed_is_none() -> None:
    for key in ("seed", "template", "output_shapes"):
        assert not has_other_attributes(hashed(key=key), hashed(key=key, value=3))
