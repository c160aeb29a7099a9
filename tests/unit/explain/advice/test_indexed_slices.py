"""Gradients of embeddings, which are `tf.IndexedSlices` of as many rows as were looked up."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, numbers, tensor

#: As TensorFlow serializes what has no dense shape.
NONE = Node("literal", "NoneType", value="None", identity=1)


def slices(rows: int, *, dense: bool) -> Node:
    shape = tensor(20 if dense else -1, 3, dtype="")
    parts = shape, tensor(), tensor(dtype="int32"), tensor(dtype="int32") if dense else NONE, tensor(rows, dtype="")
    children = tuple((f"#{i}", part) for i, part in enumerate(parts))
    return Node("composite", "IndexedSlicesSpec", value=f"{rows}", identity=1, children=children)


@pytest.mark.parametrize(
    ("dense", "spec"),
    [
        (True, "tf.IndexedSlicesSpec([20, 3], tf.float32, tf.int32, tf.int32, [None])"),
        (False, "tf.IndexedSlicesSpec([None, 3], tf.float32, tf.int32)"),
    ],
)
def test_they_are_declared(dense: bool, spec: str) -> None:
    told = advice(history(*({"g": slices(rows, dense=dense)} for rows in (2, 3, 4)), source="step(g)"), "step")
    assert numbers(told) == [("input_signature", 3, 1), ("reduce_retracing", 3, 2)]
    assert spec in (told[0].code or "")
