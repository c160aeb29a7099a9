"""Functions that are passed and made anew for other numbers: what they close over is passed, and one is kept."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts, Verdict
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, call, history, literal, numbers, tensor

OF_A_LAMBDA = Change("object_identity", "loss", "function <lambda> #1", "function <lambda> #2")
SCALE = ClosureChange("scale", "2.0", "3.0", True)


def judged(*closure: ClosureChange, beside: tuple[Change, ...] = (), numbers_alone: bool = True) -> Verdict:
    changes = (OF_A_LAMBDA, *beside)
    passed = {"loss": closure}
    return judge(Facts("retrace", changes, same_graph=False, numbers_alone=numbers_alone, passed=passed))


def a_lambda(number: int) -> Node:
    return Node("object", type_name="function", value=f"function <lambda> #{number}", identity=number)


def made_anew(*closure: ClosureChange, rates: tuple[float, ...] = (0.5, 0.25, 0.125)) -> list[Traced]:
    arguments = [{"w": tensor(2), "loss": a_lambda(n), "rate": literal(rate)} for n, rate in enumerate(rates, 1)]
    traces = history(*arguments, source="step(w, lambda w: w * scale, rate / 2)")
    for place, trace in enumerate(traces[1:], 1):
        verdict = judge(Facts("retrace", trace.changes, same_graph=False, numbers_alone=True, passed={"loss": closure}))
        traces[place] = replace(trace, verdict=verdict.word, evidence=verdict.evidence)
    return traces


def test_it_can_be_avoided_where_graphs_differ_in_fractions_alone() -> None:
    verdict = judged(SCALE)
    assert verdict.word == "avoidable"
    assert verdict.evidence.startswith("`loss` is a function made anew, which closes over `scale`: 2.0 → 3.0, and its")
    assert judged(SCALE, beside=(Change("python_value", "rate", "0.1", "0.2"),)).word == "avoidable"
    # a whole number may choose what is built, and other graphs are other graphs
    for unknown in (
        judged(SCALE, numbers_alone=False),
        judged(ClosureChange("layers", "2", "3", True)),
        judged(SCALE, ClosureChange("mode", "'a'", "'b'", False)),
        judged(SCALE, beside=(Change("python_value", "mode", "'a'", "'b'"),)),
    ):
        assert unknown.word == "unknown"
    assert (
        "which closes over `layers`: 2 → 3. What is passed" in judged(ClosureChange("layers", "2", "3", True)).evidence
    )


def test_one_function_takes_the_number_and_a_number_beside_it_is_passed_too() -> None:
    found = advice(made_anew(SCALE), "step")
    assert numbers(found)[0] == ("pass_number_of_function+tensor_for_python_number", 3, 1)
    assert "for other values of the Python number `scale` that it closes over, and the graphs" in found[0].text
    assert found[0].code == (
        "@tf.function\ndef step(w, loss, rate, loss_scale):  # passes loss what it closed over\n    …\n\n"
        "kept_loss = …  # once, before the loop: with a parameter for scale\n…\n"
        "step(w, kept_loss, tf.constant(rate / 2), loss_scale=tf.constant(scale))"
    )
    assert found[0].apply is None


def test_alone_no_number_is_said_to_be_passed_beside_it() -> None:
    alone = advice(made_anew(SCALE, rates=(0.5,) * 3), "step")
    assert numbers(alone) == [("pass_number_of_function", 3, 1)]
    assert "step(w, kept_loss, rate / 2, loss_scale=tf.constant(scale))" in (alone[0].code or "")


def test_a_line_that_passes_another_function_is_changed_by_hand() -> None:
    """That has no `scale`: the function takes it from there, too."""
    *traces, other = made_anew(SCALE, rates=(0.5,) * 4)
    elsewhere = call("y = step(w, tf.identity, rate / 2)", line=9)
    verdict = judge(Facts("retrace", (replace(OF_A_LAMBDA, new="function identity #9"),), same_graph=False))
    node = Node("object", type_name="function", value="function identity #9", identity=9)
    arguments = [(name, node if name == "loss" else one) for name, one in other.lookup.signature.arguments]
    other = replace(
        other, stack=elsewhere, verdict=verdict.word, evidence=verdict.evidence,
        lookup=replace(other.lookup, signature=Signature(tuple(arguments))),
    )  # fmt: skip
    traces = [replace(trace, other_calls=(elsewhere[1],)) for trace in traces]
    (found,) = advice([*traces, other], "step")
    assert numbers([found]) == [("pass_number_of_function", 4, 2)]
    assert (found.code or "").endswith(
        "\n…\nstep(w, kept_loss, rate / 2, loss_scale=tf.constant(scale))\n"
        "# and by hand, with a function that takes it, too, in line 9: y = step(w, tf.identity, rate / 2)"
    )


def test_what_is_no_name_has_no_code() -> None:
    (found,) = advice(made_anew(ClosureChange("cfg['scale']", "2.0", "3.0", True), rates=(0.5,) * 3), "step")
    assert (found.rule, found.traces_after, found.code) == ("pass_number_of_function", 1, None)
