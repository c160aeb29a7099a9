"""A string that changes together with a number, and makes no difference where graphs hold the number alone."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tests.unit.explain.advice.test_advice_rules import history, literal, number, numbers, tensor

THEIRS = Constant("float32", 0.5, 0.25)
LOOKUPS = [
    {"x": tensor(2), "run": literal(f"run-{i}"), "rate": number(rate)} for i, rate in enumerate((0.5, 0.25, 0.125))
]


def advice(pair: GraphPair, count: int = 2) -> list[Advice]:
    return advise(FunctionFacts("step", history(*LOOKUPS[:count]), graphs=Graphs(lambda one, other: pair)))


def test_the_string_is_merged_where_the_graphs_hold_the_number_alone() -> None:
    both, *_ = advice(GraphPair(True, (THEIRS,)))
    assert numbers([both]) == [("unused_argument+tensor_for_python_number", 2, 1)]
    assert both.apply is not None or both.code is not None


@pytest.mark.parametrize(
    "pair",
    [
        GraphPair(False),
        GraphPair(True),
        GraphPair(True, (THEIRS, Constant("float32", 3.0, 4.0))),
        GraphPair(True, (Constant("string", "run-0", "run-1"), THEIRS)),
        GraphPair(True, (THEIRS,), names=("run-0/Mul", "run-1/Mul")),
        GraphPair(True, (THEIRS,), attribute=("Mul", "T")),
    ],
)
def test_where_more_differs_nothing_is_known_of_it(pair: GraphPair) -> None:
    assert advice(pair) == []


def test_each_pair_is_asked_for_itself() -> None:
    """The third trace's number is not what this pair tells of."""
    both, *_ = advice(GraphPair(True, (THEIRS,)), 3)
    assert numbers([both]) == [("unused_argument+tensor_for_python_number", 3, 2)]
