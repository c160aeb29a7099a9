"""A NumPy array that is closed over: a constant of the graph, which an argument in its place is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ARRAY, ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tests.unit.explain.advice.test_advice_rules import advice, numbers, recreated

WINDOW = ClosureChange("window", f"{ARRAY}float32 (8,)", f"{ARRAY}float32 (8,)", False, is_tensor=True)


def test_it_is_passed_as_an_argument() -> None:
    (found,) = advice(recreated(3, (WINDOW,), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "each time for another array that it closes over, `window`: a graph keeps" in found.in_one
    assert found.evidence.endswith("on a tensor where it has an array, which NumPy's own functions do not.")


def test_one_serves_those_of_equal_arrays_as_well() -> None:
    """As of the folds of a search, which come again for other settings."""
    traces = recreated(3, (WINDOW,), same_graph=False)
    again = replace(recreated(2)[1], lookup=replace(traces[1].lookup, object_number=4), closest=1)
    best, *_ = advice([*traces, again])
    assert numbers([best]) == [("pass_closed_over_tensor", 4, 1)]
    assert "was made 4 times" in best.text
    assert "Define it once and pass" in best.text


@pytest.mark.parametrize(("other_size", "verdict"), [(False, "avoidable"), (True, "unknown")])
def test_its_values_make_another_graph_and_its_nodes_tell(other_size: bool, verdict: str) -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    facts = Facts("recreated", change, same_graph=False, closure=(WINDOW,), other_nodes=True, other_size=other_size)
    assert judge(facts).word == verdict
