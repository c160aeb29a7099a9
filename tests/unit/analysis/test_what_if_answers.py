"""What is said of a change. tests/capture/test_what_if_is_exact.py holds the numbers against TensorFlow."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tb_retrace_plugin.analysis.pages.what_if import Change, WhatIfError, what_if
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.support.recorded_calls import function_of


def tensor(*shape: int, dtype: str = "float32") -> Node:
    return Node("tensor", dtype=dtype, shape=shape)


def literal(value: Any) -> Node:
    return Node("literal", type_name=type(value).__name__, value=repr(value), identity=(hash(value) % 2**60) + 1000)


def calls(*arguments: dict[str, Node], **options: Any) -> Any:
    return function_of([Lookup(Signature(tuple(one.items()))) for one in arguments], **options)


SHAPES = [{"x": tensor(n, 10), "training": literal(True)} for n in (1, 2, 3)]
FLAGS = [*SHAPES, {"x": tensor(3, 10), "training": literal(False)}]


def test_an_unknown_dimension() -> None:
    answer = what_if(calls(*FLAGS), Change(unknown=("x[0]",)))
    assert (answer["traces_before"], answer["traces_after"], answer["served"]) == (4, 2, 2)
    assert answer["stays"] == [1, 4]
    assert answer["seconds_saved"] == 2.0
    assert answer["sentence"] == "`f` was traced 4 times; with `x[0]` of unknown size it would be twice, 2.0 s less."
    assert answer["code"] is None
    assert "sees None while it is traced" in answer["caveats"][0]
    json.dumps(answer, allow_nan=False)


def test_one_signature_that_would_do_is_written_out() -> None:
    answer = what_if(calls(*({"x": tensor(n)} for n in (1, 2))), Change(unknown=("x",)))
    assert answer["code"] == "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"


def test_calls_that_do_not_fit_an_input_signature() -> None:
    answer = what_if(calls(*FLAGS), Change(input_signature="[tf.TensorSpec([None, 10])]"))
    assert (answer["traces_after"], answer["served"], answer["refused_count"]) == (1, 2, 1)
    assert answer["refused"] == [{"seq": 4, "n": 4, "reason": "`training` is False, and it is not declared"}]
    assert answer["sentence"].endswith("it would be once, 2.0 s less, and 1 recorded call would not fit.")
    assert answer["caveats"][0].startswith("Not declared: `training` (True).")


def test_a_tensor_that_is_not_declared_does_not_fit() -> None:
    answer = what_if(calls({"x": tensor(1), "y": tensor(2)}), Change(input_signature="[tf.TensorSpec([None])]"))
    assert answer["refused"][0]["reason"] == "no specification for `y`"
    assert answer["sentence"] == "`f` was traced once; with this input signature none of these calls would fit."
    assert answer["seconds_saved"] == 0


def test_the_compilations_of_xla_stay() -> None:
    answer = what_if(calls(*SHAPES, jit_compile=True), Change(unknown=("x[0]",)))
    assert answer["traces_after"] == 1
    assert "3 sets of shapes are recorded" in answer["caveats"][1]


@pytest.mark.parametrize(
    ("numbers", "asked", "code"),
    [
        ((1, 2), "n", "tf.TensorSpec([], tf.int32)"),
        ((1, 2**40), "n", "tf.TensorSpec([], tf.int64)"),
        ((1, 0.5), "n", "tf.TensorSpec([], tf.float32)"),
        ((1, 2), "n=float64", "tf.TensorSpec([], tf.float64)"),
    ],
)
def test_a_number_becomes_a_tensor_of_the_dtype_that_holds_it(numbers: Any, asked: str, code: str) -> None:
    answer = what_if(calls(*({"n": literal(value)} for value in numbers)), Change(tensors=(asked,)))
    assert answer["traces_after"] == 1
    assert answer["code"] == f"@tf.function(input_signature=[{code}])"
    assert "must work on a tensor" in answer["caveats"][0]


def test_of_several_objects_each_has_its_trace() -> None:
    lookups = [Lookup(Signature((("x", tensor(n)),)), object_number=n) for n in (1, 2)]
    assert what_if(function_of(lookups), Change(input_signature="[tf.TensorSpec([None])]"))["traces_after"] == 2


def test_what_does_not_explain_the_recording_gives_no_number() -> None:
    answer = what_if(calls({"x": tensor(1)}, {"x": tensor(1)}), Change(unknown=("x",)))
    assert (answer["traces_after"], answer["seconds_saved"], answer["served"]) == (None, None, None)
    assert answer["sentence"].endswith("is not known.")


NESTED = {"batch": Node("dict", children=(("['x']", tensor(2)), ("['n']", literal(3)), ("['s']", literal("a"))))}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change(), "Say what to change"),
        (Change(input_signature="[tf.TensorSpec([])]", reduce_retracing=True), "no other change"),
        (Change(unknown=("y",)), "`y` was never passed a tensor. Tensors in the recorded calls: `batch['x']`"),
        (Change(unknown=("batch['x'][1]",)), "has 1 dimension, no 1"),
        (Change(unknown=("batch['x'][-2]",)), "no -2"),
        (Change(unknown=("batch['x'][²]",)), "`batch['x'][²]` was never passed a tensor"),  # a digit to Python
        (Change(unknown=("batch['x'][--1]",)), "`batch['x'][--1]` was never passed a tensor"),
        (Change(tensors=("batch['x']",)), "was never passed a Python number"),
        (Change(tensors=("batch['s']",)), "is 'a' in some call. Python numbers in the recorded calls: `batch['n']`"),
        (Change(tensors=("batch['n']=float33",)), "float33 is no dtype"),
        (Change(input_signature="[tf.TensrSpec([])]"), "is no specification"),
    ],
)
def test_what_cannot_be_asked(change: Change, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        what_if(calls(NESTED), change)
    assert issubclass(WhatIfError, ValueError)
