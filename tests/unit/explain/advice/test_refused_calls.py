"""Calls that failed while they were traced, where the function is declared: it refuses them in another way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.shapes.shapes import changing_paths
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_LATE
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, numbers, tensor


def with_failed(shapes: Sequence[Sequence[int]], *failed: int, **others: object) -> list[Traced]:
    traces = history(*({"x": tensor(*shape), **{k: literal(v) for k, v in others.items()}} for shape in shapes))
    for place in failed:
        traces[place] = replace(traces[place], verdict="avoidable", lookup=replace(traces[place].lookup, failed=True))
    return traces


def test_calls_that_a_signature_refuses_are_told() -> None:
    for others in ({}, {"lo": 0.1}):
        declared, *rest = advice(with_failed([(2, 4), (2, 3), (5, 3), (4,)], 0, 3, **others))
        assert numbers([declared]) == [("input_signature", 4, 1)]
        assert declared.in_one.endswith(
            " Calls that failed, with `x` of (2, 4) or `x` of (4,), are refused with a TypeError then, whatever they"
            " raised before."
        )
        assert "unknown rank" not in declared.in_one
        assert not any("TypeError" in one.in_one for one in rest)


def test_a_shape_of_which_all_traces_failed_is_not_declared() -> None:
    traces = with_failed([(2, 3), (2, 4), (2, 5)], 1, 2)
    assert changing_paths(FunctionFacts("step", traces)) == []
    traces[2] = replace(traces[2], evidence=CREATES_VARIABLES_LATE)  # once these are made before, it may work
    assert changing_paths(FunctionFacts("step", traces)) == ["x"]


def test_a_list_of_numbers_is_converted_where_a_tensor_is_declared() -> None:
    """`embed([1, 2])`: a Keras model takes no list, and the tensor that TensorFlow makes of it works (measured)."""
    of_numbers = Node("list", children=tuple((f"[{i}]", literal(i)) for i in range(2)))
    traces = with_failed([(2,), (3,), (4,), (5,)], 3)
    failed = replace(traces[3].lookup, signature=Signature((("x", of_numbers),)))
    declared = advice([*traces[:3], replace(traces[3], lookup=failed)])[0]
    assert numbers([declared]) == [("input_signature", 4, 1)]
    assert "TypeError" not in declared.in_one


def test_what_is_served_then_is_not_told_to_be_refused() -> None:
    """`except ValueError` meets it no more."""
    declared = advice(with_failed([(2, 3), (4, 3), (6, 3)], 1))[0]
    assert declared.rule == "input_signature"
    assert "TypeError" not in declared.in_one
    assert "Calls that failed, with `x` of (4, 3), are served by that graph then:" in declared.in_one


def test_what_failed_with_another_default_is_not_declared_away() -> None:
    """`table(n)` that creates a variable for each `n`: once these are made before, calls with all of them work."""
    calls = [{"x": tensor(size), "n": literal(n)} for size, n in ((2, 4), (3, 4), (2, 6))]
    traces = history(*calls)
    late = replace(
        traces[2], verdict="avoidable", evidence=CREATES_VARIABLES_LATE, lookup=replace(traces[2].lookup, failed=True)
    )
    assert [one.rule for one in advice([*traces[:2], late])] == ["create_variables_before"]
    # for another reason
    other = replace(late, evidence="The trace failed: this call cannot work as it is.")
    assert not any("the same at every call" in one.in_one for one in advice([*traces[:2], other]))
