"""Numbers and tensors that are closed over by one function: both are arguments, or one would go on with the first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import VARIABLE as OF_VARIABLE
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, numbers, recreated

TENSOR = ClosureChange("x", "float32 (4, 1)", "float32 (4, 1)", False, is_tensor=True)
NUMBER = ClosureChange("rate", "0.1", "0.2", True)
TEXT = (
    "`step` was made 3 times, each time for another tensor that it closes over, `x`, and other numbers, `rate`: a graph"
    " keeps what it was traced with. Define it once and pass them as arguments, `rate` as a tensor."
)


def test_both_are_passed() -> None:
    (found,) = advice(recreated(3, (NUMBER, TENSOR), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert found.in_one.endswith(TEXT.partition("` ")[2])
    assert found.code is not None
    assert "x, rate):  # once" in found.code
    assert "x, tf.constant(rate))" in found.code
    assert found.evidence.endswith("and that the code works on a tensor for `rate`.")


VARIABLE = ClosureChange("w", f"{OF_VARIABLE}float32 (3, 1)", f"{OF_VARIABLE}float32 (3, 1)", False, is_tensor=True)


def test_variables_are_passed_and_declared_by_no_signature() -> None:
    (found,) = advice(recreated(3, (NUMBER, VARIABLE), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "each time for another variable that it closes over, `w`, and other numbers, `rate`" in found.text
    assert found.code is not None
    assert "w, rate):  # once" in found.code
    assert "TensorSpec" not in found.code


def test_one_variable_may_be_passed_twice() -> None:
    node = Node("variable", dtype="float32", shape=(3, 1), value="trainable=True", identity=1)
    passed = Signature((("v", node),))
    traces = [
        replace(trace, lookup=replace(trace.lookup, signature=passed))
        for trace in recreated(3, (VARIABLE,), same_graph=False)
    ]
    (found,) = advice(traces)
    assert (found.rule, found.traces_after) == ("pass_closed_over_tensor", None)
    assert found.evidence.startswith("Not replayed: a call that is passed one variable twice")


def test_what_was_made_for_other_tensors_is_not_made_one_for_its_numbers() -> None:
    """A function defined once, and passed the number alone, would go on with the first tensor."""
    mixed = recreated(3, (NUMBER,), same_graph=False)
    mixed[2] = replace(mixed[2], evidence=recreated(3, (TENSOR,), same_graph=False)[2].evidence)
    assert sorted(numbers(advice(mixed))) == [("pass_closed_over_number", 3, 2), ("pass_closed_over_tensor", 3, 1)]


def test_what_a_whole_number_is_for_its_own_advice_tells() -> None:
    mixed = recreated(3, (ClosureChange("order", "1", "2", True),), same_graph=False)
    mixed[2] = replace(mixed[2], evidence=recreated(3, (TENSOR,), same_graph=False)[2].evidence)
    assert sorted(numbers(advice(mixed))) == [("pass_closed_over_number", 3, 2), ("pass_closed_over_tensor", 3, 2)]


@pytest.mark.parametrize(("size", "attributes"), [(True, False), (False, True)])
def test_where_the_graph_is_another_neither_is_known_to_do(size: bool, attributes: bool) -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    facts = Facts("recreated", change, same_graph=False, closure=(NUMBER, TENSOR), other_nodes=True)
    assert judge(facts).word == "avoidable"
    assert judge(replace(facts, other_size=size, other_attributes=attributes)).word == "unknown"


def test_a_whole_number_may_choose_what_is_built() -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    closure = (ClosureChange("order", "1", "2", True), TENSOR)
    assert judge(Facts("recreated", change, same_graph=False, closure=closure, other_nodes=True)).word == "unknown"
