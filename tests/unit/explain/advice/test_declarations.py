"""Input signatures as code."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.code import signature_code, with_added_specs
from tb_retrace_plugin.schema.signature import Node


def test_parameters_that_are_added_are_declared_too() -> None:
    x = ("x", Node("tensor", dtype="float32", shape=(-1, 3)))
    short = signature_code([x])
    assert short is not None
    added = with_added_specs(short, ["tf.TensorSpec([], tf.int32)"])
    assert added == "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.int32)])"
    long = with_added_specs(added, ["tf.TensorSpec([3], tf.float32)"])
    lines = long.splitlines()
    assert lines[:2] == ["@tf.function(", "    input_signature=["]
    assert lines[2:5] == [
        "        tf.TensorSpec([None, 3], tf.float32),", "        tf.TensorSpec([], tf.int32),",
        "        tf.TensorSpec([3], tf.float32),",
    ]  # fmt: skip
    assert with_added_specs(long, ["tf.TensorSpec([])"]).count("TensorSpec") == 4
    assert with_added_specs("@tf.function(reduce_retracing=True)", ["tf.TensorSpec([])"]).count("TensorSpec") == 0
