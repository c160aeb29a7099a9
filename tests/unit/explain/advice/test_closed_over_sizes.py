"""Tensors of several sizes that functions made anew close over: arguments, of unknown sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import VARIABLE, ClosedOver, ClosureChange, diff_closures
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Signature
from tests.unit.explain.advice.test_advice_rules import advice, numbers, of_tensors, recreated, tensor

SMALLER = ClosureChange("x", "float32 (4, 2)", "float32 (3, 2)", False, other_size=True)
_NEW = Change("recreated_function", "", "object 1", "object 2")


@pytest.mark.parametrize(
    ("old", "new", "is_it"),
    [
        ("float32 (4, 2)", "float32 (3, 2)", True),
        ("float32 (4,)", "float32 (None,)", True),
        ("float32 (4, 2)", "float32 (4, 2)", False),  # of one shape
        ("float32 (4, 2)", "float64 (3, 2)", False),
        ("float32 (4, 2)", "float32 (4,)", False),
        (f"{VARIABLE}float32 (4,)", f"{VARIABLE}float32 (3,)", False),
        ("(float32 (4,), float32 (4,))", "(float32 (3,), float32 (3,))", False),
    ],
)
def test_what_is_a_tensor_of_another_size(old: str, new: str, is_it: bool) -> None:
    before, now = (ClosedOver("x", n, spec, False, is_tensor=True, spec=spec) for n, spec in enumerate((old, new), 1))
    (change,) = diff_closures((before,), (now,)) or ()
    assert change.other_size == is_it


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        (Facts("recreated", (_NEW,), same_graph=False, closure=(SMALLER, *of_tensors("y"))), "avoidable"),
        # unrolled over the size, say
        (Facts("recreated", (_NEW,), same_graph=False, closure=(SMALLER,), other_size=True), "unknown"),
        (Facts("recreated", (_NEW,), same_graph=False, closure=(SMALLER,), captures_others=True), "unknown"),
        # elements of a dataset are what its function is passed
        (Facts("recreated", (_NEW,), same_graph=False, closure=(SMALLER,), in_a_dataset=True), "unknown"),
    ],
)
def test_whether_one_could_serve(facts: Facts, word: str) -> None:
    assert judge(facts).word == word


def test_one_takes_them_with_their_sizes_unknown() -> None:
    whole, last = (recreated(3, closure, same_graph=False) for closure in (of_tensors("x", "y"), (SMALLER,)))
    (found,) = advice([*whole[:2], last[2]], "step")
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    passed = Signature((("n", tensor(2)),))
    traces = recreated(3, (SMALLER, *of_tensors("y")), same_graph=False)
    (of_each,) = advice([replace(t, lookup=replace(t.lookup, signature=passed)) for t in traces], "step")
    assert of_each.code == (
        "@tf.function(\n"
        "    input_signature=[\n"
        "        tf.TensorSpec([2], tf.float32),\n"
        "        tf.TensorSpec([None, 2], tf.float32),\n"
        "        tf.TensorSpec([4], tf.float32),\n"
        "    ]\n"
        ")\n"
        "def step(n, x, y):  # once\n    …\n\nstep(n, x, y)"
    )
    assert "`x` and `y`, of several sizes" in of_each.in_one


def test_no_number_is_given_where_its_own_arguments_differ() -> None:
    first, second = recreated(2, (SMALLER,), same_graph=False)
    other = replace(second, lookup=Lookup(Signature((("n", tensor(5)),)), object_number=2))
    (found,) = advice([first, other], "step")
    assert numbers([found]) == [("pass_closed_over_tensor", 2, None)]
    assert not advice([first, other], "step", jit_compile=True)  # XLA compiles for each size


def test_what_a_function_within_closes_over() -> None:
    (found,) = advice(recreated(2, (replace(SMALLER, name="x of loss"),), same_graph=False), "step")
    assert "`x` of `loss`, of several sizes" in found.in_one
    assert "`loss` has to take `x` as an argument, too, and to be defined once as well." in found.in_one
    assert found.code is None
