"""A flag that is None in some calls and a Python bool in others."""

from __future__ import annotations

from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, number, numbers, tensor

FALSE, TRUE, NONE = number(False), number(True), number(None)


def of(*flags: Node) -> list[dict[str, Node]]:
    return [{"x": tensor(2), "training": flag} for flag in flags]


def test_the_bool_of_the_same_graph_is_for_all_calls() -> None:
    (found,) = advice(history(*of(NONE, FALSE), same_graph=True))
    assert numbers([found]) == [("bool_for_none", 2, 1)]
    assert found.code == "bool(training)  # in place of training, at each call"
    (found,) = advice(history(*of(NONE, TRUE), same_graph=True), with_default=frozenset({"training"}))
    assert (found.rule, found.traces_after) == ("bool_for_none", 1)
    assert found.code.startswith("def train_step(…, training=True):  # in place of None;")
    assert found.code.endswith("training is None or training")


def test_two_bools_stay_two() -> None:
    (found,) = advice(history(*of(NONE, FALSE, TRUE), same_graph=True))
    assert numbers([found]) == [("bool_for_none", 3, 2)]


def test_none_is_no_bool_where_graphs_differ_or_both_are_as_it_is() -> None:
    assert advice(history(*of(NONE, FALSE), same_graph=False)) == []
    assert advice(history(*of(NONE, FALSE), same_graph=None)) == []
    assert advice(history(*of(FALSE, NONE, TRUE), same_graph=True)) == []
    beside_a_tensor = advice(history(*of(NONE, FALSE, tensor(dtype="bool")), same_graph=True))
    assert "bool_for_none" not in {one.rule for one in beside_a_tensor}
