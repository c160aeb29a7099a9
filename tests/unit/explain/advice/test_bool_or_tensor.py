"""A flag that is a Python bool in some calls and a tensor in others."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, number, numbers, tensor

FALSE, TRUE = number(False), number(True)
FLAG = tensor(dtype="bool")
SOURCE = "train_step(x, training)"


def of(*flags: Node, failed: bool = False, nested: bool = False) -> list[Traced]:
    """`failed`, `nested`: of the traces with a tensor."""
    traces = history(*({"x": tensor(2), "training": flag} for flag in flags), source=SOURCE)
    return [
        replace(trace, lookup=replace(trace.lookup, failed=failed), nested=nested) if flag == FLAG else trace
        for trace, flag in zip(traces, flags, strict=True)
    ]


def test_where_a_tensor_works_either_way_has_its_number() -> None:
    found = advice(of(FALSE, FLAG, TRUE))
    assert numbers(found) == [("tensor_for_python_bool", 3, 1), ("python_bool", 3, 2)]
    assert [one.code for one in found] == ["train_step(x, tf.constant(training))", "train_step(x, bool(training))"]
    assert [one.apply for one in found] == [{"tensors": {"training": "bool"}}, None]
    # within a trace no tensor has a value
    found = advice(of(FALSE, FLAG, TRUE, nested=True))
    assert numbers(found) == [("tensor_for_python_bool", 3, 1)]


def test_what_failed_alone_is_not_what_all_calls_are_to_pass() -> None:
    (found,) = advice(of(FALSE, TRUE, FLAG, failed=True))
    assert (found.rule, found.traces_after) == ("python_bool", 2)
    assert (found.code, "tf.constant" in found.in_one) == ("train_step(x, bool(training))", False)
    assert "Each call with a tensor for `training` failed." in found.text
    # its value may be the one that no other call had
    (found,) = advice(of(FALSE, FLAG, failed=True))
    assert (found.rule, found.traces_after, found.code) == ("python_bool", None, "train_step(x, bool(training))")
    (found,) = advice(of(FALSE, FLAG, failed=True, nested=True))
    assert (found.rule, found.traces_after, found.code) == ("same_type", None, None)
    assert found.notes == ("Each call with a tensor for `training` failed: pass the Python bool.",)


def test_no_call_is_told_to_pass_both() -> None:
    """Beside another dtype: of the two ways the one that leaves fewer traces goes with the cast."""
    calls = [("float32", FALSE), ("float64", FALSE), ("float32", TRUE), ("float32", FLAG)]
    traces = history(*({"x": tensor(2, dtype=dtype), "training": flag} for dtype, flag in calls), source=SOURCE)
    found = advice(traces)
    assert ("tensor_for_python_bool+one_dtype", 4, 1) in numbers(found)
    assert not any("tensor_for_python_bool" in one.rule and "python_bool" in one.rule.split("+") for one in found)


def test_no_number_where_a_tensor_came_beside_something_else() -> None:
    calls = [(2, FALSE), (2, TRUE), (3, FLAG)]
    traces = history(*({"x": tensor(size), "training": flag} for size, flag in calls), source=SOURCE)
    assert "python_bool" not in {one.rule for one in advice(traces)}


def test_a_number_stays_one_where_each_call_with_a_tensor_failed() -> None:
    traces = history({"n": number(2)}, {"n": tensor(dtype="int32")})
    (found,) = advice([traces[0], replace(traces[1], lookup=replace(traces[1].lookup, failed=True))])
    assert (found.rule, found.traces_after) == ("same_type", None)
    assert found.notes == ("Each call with a tensor for `n` failed: pass the Python number.",)
    (found,) = advice(traces)
    assert (found.rule, found.traces_after) == ("tensor_for_python_number", 1)
