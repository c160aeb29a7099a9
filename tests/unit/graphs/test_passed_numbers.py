"""Graphs that are the same but for numbers that were passed."""

from __future__ import annotations

from tensorboard.compat.proto import function_pb2, types_pb2

from tb_retrace_plugin.graphs.passed_numbers import PassedNumbers, differ_in_passed_numbers, passed_numbers
from tb_retrace_plugin.graphs.slim import FunctionGraph


def numbers(*values: float, passed: dict[str, float], op: str = "Mul") -> PassedNumbers | None:
    definition = function_pb2.FunctionDef()
    for place, value in enumerate(values):
        constant = definition.node_def.add(name=f"k{place}", op="Const")
        constant.attr["dtype"].type = constant.attr["value"].tensor.dtype = types_pb2.DT_DOUBLE
        constant.attr["value"].tensor.double_val.append(value)
    definition.node_def.add(name="y", op=op)
    before = definition.SerializeToString(deterministic=True)
    found = passed_numbers(
        [FunctionGraph(definition)],
        lambda value, dtype: frozenset(name for name, number in passed.items() if number == value),
    )
    assert definition.SerializeToString(deterministic=True) == before  # what else is asked of it comes later
    return found


def test_the_same_number_in_both() -> None:
    one = numbers(0.5, 2.0, passed={"rate": 0.5})
    assert differ_in_passed_numbers(one, numbers(0.25, 2.0, passed={"rate": 0.25}))
    assert differ_in_passed_numbers(one, numbers(2.0, 2.0, passed={"rate": 2.0}))  # a constant of its own beside it
    assert not differ_in_passed_numbers(one, one)  # that is the same graph


def test_other_numbers() -> None:
    one = numbers(0.5, 2.0, passed={"a": 0.5, "b": 0.25})
    for other in (
        numbers(0.25, 2.0, passed={"a": 0.75, "b": 0.25}),  # the other one is read
        numbers(0.75, 3.0, passed={"a": 0.75, "b": 0.25}),  # and something else differs
        numbers(0.75, 2.0, passed={"a": 0.75, "b": 0.25}, op="Add"),
        numbers(0.75, passed={"a": 0.75, "b": 0.25}),
        None,
    ):
        assert not differ_in_passed_numbers(one, other)
    by_chance = numbers(0.5, 3.0, passed={"a": 0.25, "b": 0.5, "c": 3.0})
    assert not differ_in_passed_numbers(one, by_chance)


def test_a_graph_that_holds_none_is_not_asked() -> None:
    assert numbers(0.5, passed={"rate": 0.1}) is None
    assert numbers(*[0.5] * 300, passed={"rate": 0.5}) is None  # too many to be kept
