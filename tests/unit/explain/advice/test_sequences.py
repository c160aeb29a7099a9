"""Lists of Python numbers of several lengths: data, or what decides which operations there are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.diff import diff_signatures
from tb_retrace_plugin.explain.verdict import Facts, judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, tensor


def sequence(*items: Node) -> Node:
    return Node("tuple", "tuple", children=tuple((f"[{i}]", item) for i, item in enumerate(items)))


@pytest.mark.parametrize(
    ("old", "new", "other_size", "verdict"),
    [
        (sequence(literal(4)), sequence(literal(4), literal(2)), True, "unknown"),
        (sequence(), sequence(literal(4)), True, "unknown"),
        (sequence(literal(4)), sequence(literal(4), literal(2)), False, "avoidable"),  # a constant of another shape
        (sequence(tensor(2)), sequence(tensor(2), tensor(2)), True, "avoidable"),
    ],
)
def test_numbers_may_decide_what_is_built(old: Node, new: Node, other_size: bool, verdict: str) -> None:
    changes = diff_signatures(*(Signature((("widths", node),)) for node in (old, new)))
    assert judge(Facts("retrace", tuple(changes), other_size=other_size)).word == verdict


def test_no_tensor_is_asked_for_where_the_graphs_have_other_sizes() -> None:
    widths = [sequence(*map(literal, numbers)) for numbers in ((9, 8, 4, 2), (9, 7, 8, 4, 2), (9, 7, 8, 5, 2))]
    traces = history(*({"x": tensor(2), "widths": one} for one in widths))
    alike = [replace(trace, nodes=7) for trace in traces]
    assert "tensor_for_python_sequence" in {a.rule for a in advice(alike)}
    others = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (7, 9, 9), strict=True)]
    assert not any("tensor_for_python_sequence" in a.rule for a in advice(others))
