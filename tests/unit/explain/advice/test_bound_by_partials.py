"""What a `functools.partial` binds by its name stays out of an input signature, where TensorFlow lets it."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Traced
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, recreated, tensor, thing

_DECLARED = "tf.function(functools.partial(total, …), input_signature=[tf.TensorSpec([None], tf.float32)])"


def bound(traces: list[Traced], *names: str) -> list[Traced]:
    return [replace(trace, bound_by_name=frozenset(names)) for trace in traces]


def of_total(traces: list[Traced], *keyword_only: str) -> list[Advice]:
    return advice(
        traces, "total", qualname="total", undecorated=True, passed_as="functools.partial(total, …)",
        keyword_only=frozenset(keyword_only),
    )  # fmt: skip


def test_a_partial_of_a_decorated_function_is_declared_where_it_is_made() -> None:
    traces = bound(calls(power=literal(2.0)), "power")
    found, *_ = advice(
        traces, "total", qualname="total", passed_as="functools.partial(total, …)", keyword_only=frozenset({"power"})
    )
    assert found.code == f"{_DECLARED}  # where it is made"


def calls(**by_name: Node) -> list[Traced]:
    return history(*({"x": tensor(n), **by_name} for n in (1, 2, 3)))


def test_what_is_bound_needs_no_default_value() -> None:
    found, *_ = of_total(bound(calls(power=literal(2.0)), "power"), "power")
    assert (found.rule, found.traces_after, found.code) == ("input_signature", 1, f"{_DECLARED}  # where it is made")
    (note,) = found.notes
    assert note.startswith("`power` is bound by `functools.partial` and stays undeclared")
    assert "no call passes another `power`" in found.evidence
    # what only comes after it, and was passed at each call, does
    after, *_ = of_total(bound(calls(power=literal(2.0), rate=literal(0.5)), "power"), "power", "rate")
    assert (after.code or "").endswith("def total(…, *, rate=0.5):")


def test_an_object_or_a_variable_that_is_bound_stays_and_a_tensor_does_not() -> None:
    """TensorFlow: `too many positional arguments` where a tensor, or an array, is bound by its name."""
    variable = Node("variable", "ResourceVariable", dtype="float32", shape=(), identity=1)
    for power in (thing(1), variable, Node("list", children=(("[0]", variable),))):
        assert of_total(bound(calls(power=power), "power"), "power")[0].rule == "input_signature"
    for power in (tensor(), Node("list", children=(("[0]", tensor()),))):
        assert "input_signature" not in {one.rule for one in of_total(bound(calls(power=power), "power"), "power")}


def test_what_calls_pass_in_place_of_it_is_declared_by_no_signature() -> None:
    traces = history(*({"x": tensor(n), "mode": literal("ab"[n % 2])} for n in range(1, 5)))
    assert "input_signature" not in {one.rule for one in of_total(bound(traces, "mode"), "mode")}


def of_two_partials() -> list[Traced]:
    """Of `partial(total, axis=1)` and `partial(total, axis=0)`, by turns."""
    traces = bound(history(*({"x": tensor(n // 2), "axis": literal(1 - n % 2)} for n in range(2, 8))), "axis")
    for n, trace in enumerate(traces):
        traces[n] = trace = replace(trace, lookup=replace(trace.lookup, object_number=1 + n % 2))
        if n > 1:
            changes = tuple(diff_signatures(traces[n - 2].lookup.signature, trace.lookup.signature))
            verdict = judge(Facts("retrace", changes))
            closest = n - 2
        elif n:
            axis = (ClosureChange("axis", "1", "0", True, is_bound=True),)
            changes = (*recreated(2)[1].changes, *trace.changes)
            verdict, closest = judge(Facts("recreated", changes, same_graph=False, closure=axis)), 0
        if n:
            traces[n] = replace(
                trace, changes=changes, verdict=verdict.word, evidence=verdict.evidence, closest=closest,
                kind="recreated" if n == 1 else "retrace",
            )  # fmt: skip
    return traces


def test_each_of_two_partials_is_declared_for_itself() -> None:
    traces = of_two_partials()
    assert "is of a functools.partial that binds `axis`: 1 → 0." in traces[1].evidence
    found = of_total(traces, "axis")
    assert (found[0].rule, found[0].traces_before, found[0].traces_after) == ("input_signature", 6, 2)
    assert found[0].code == f"{_DECLARED}  # where it is made"
    assert "unknown dimensions: one trace of each tf.function serves all its calls." in found[0].text
    assert any("Each of the 2 tf.functions is declared so." in note for note in found[0].notes)
    assert not any("as a tensor" in note for note in found[0].notes)  # no call passes it
    of_number = next(one for one in found if one.rule == "pass_closed_over_number")
    assert "number `axis` that `functools.partial` binds. Define it once" in of_number.text
    assert of_number.apply is None  # it is in no cell of the function's


def test_what_one_partial_alone_binds_is_passed_by_the_other_ones_calls() -> None:
    traces = [
        replace(t, bound_by_name=t.bound_by_name if n % 2 else frozenset()) for n, t in enumerate(of_two_partials())
    ]
    assert not any("input_signature" in one.rule for one in of_total(traces, "axis"))
