"""Traces that are made within those of another function."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, UseWithin, Within
from tb_retrace_plugin.explain.verdict.evidence import STANDS_IN
from tests.unit.explain.advice.test_advice_rules import history, number, tensor


def test_what_saves_those_of_the_other_saves_these() -> None:
    traces = history({"n": number(1)}, {"n": number(2)}, {"n": number(3)})
    alone = advise(FunctionFacts("inner", traces))[0]
    within = advise(FunctionFacts("inner", traces, within=Within(("outer",), 2, 2)))[0]
    assert within.text == alone.text
    assert within.notes == (
        *alone.notes,
        "The 2 traces that can be avoided are within traces of `outer` that can be, too, and go with those.",
    )
    some = advise(FunctionFacts("inner", traces, within=Within(("outer",), 1, 2)))[0]
    assert some.in_one.endswith(
        " Of 2 traces that can be avoided 1 is within traces of `outer` that can be, too, and goes with those; the"
        " other stays."
    )
    assert advise(FunctionFacts("inner", traces, within=Within(("outer",), 0, 2)))[0] == alone
    called = advise(FunctionFacts("inner", traces, within=Within(("outer",), 1, 2, 1)))[0]
    assert called.in_one.endswith(
        " Of 2 traces that can be avoided 1 is within traces of `outer` that can be, too: once those are gone, look"
        " again at what is left."
    )


def test_it_is_said_where_nothing_else_is() -> None:
    traces = history({"x": tensor(2)}, {"x": tensor(3)})
    assert advise(FunctionFacts("inner", traces, library=True)) == []
    (found,) = advise(FunctionFacts("inner", traces, library=True, within=Within(("outer",), 1, 1)))
    assert (found.rule, found.code) == ("mend_the_outer", None)
    assert found.text.startswith("`inner` is traced within `outer`. The trace that can be avoided is within")


def test_several_are_named() -> None:
    traces = history({"x": tensor(2)}, {"x": tensor(3)})
    (found,) = advise(FunctionFacts("inner", traces, library=True, within=Within(("train", "score"), 1, 1)))
    assert found.text == (
        "`inner` is traced within `train` and `score`. The trace that can be avoided is within traces of `train` and"
        " `score` that can be, too, and goes with those."
    )
    assert found.evidence == "Not replayed: what the other functions will pass is not known."


def test_what_the_inner_does_with_the_number_is_said_of_the_outer() -> None:
    traces = history({"n": number(1)}, {"n": number(2)}, {"n": number(3)})
    (found,) = advise(FunctionFacts("outer", traces, uses_within=[UseWithin("n", "tiled", "[…] * k")]))
    assert found.warnings == (
        "This may change results: `tiled`, which is traced within it for the same values, does `[…] * k`: if it is"
        " that number, of a tensor that is something else, without an error.",
    )
    assert found.apply is None
    (other,) = advise(FunctionFacts("outer", traces, uses_within=[UseWithin("m", "tiled", "[…] * k")]))
    assert not other.warnings


def test_what_the_inner_takes_no_tensor_for_leaves_the_outer_none_to_pass() -> None:
    traces = history({"n": number(1)}, {"n": number(2)}, {"n": number(3)})
    split = UseWithin("n", "split", "split(parts=…)", decides=True)
    (found,) = advise(FunctionFacts("outer", traces, uses_within=[split]))
    assert (found.rule, found.traces_after, found.warnings) == ("decided_in_python", None, ())
    assert "Python decides by it what is built: `split(parts=…)`." in found.text
    (other,) = advise(FunctionFacts("outer", traces, uses_within=[replace(split, path="m")]))
    assert (other.rule, other.traces_after) == ("tensor_for_python_number", 1)


def test_what_stands_in_for_another_is_no_function_to_make_once() -> None:
    """TensorFlow's own, of a tf.function whose first call failed."""
    traces = history({"x": tensor(2)}, {"x": tensor(3)}, source="loss = train_step(x)")
    traces = [replace(trace, verdict="avoidable", evidence=STANDS_IN) for trace in traces]
    (found,) = advise(FunctionFacts("<lambda>", traces, library=True))
    assert (found.rule, found.traces_after) == ("mend_the_first_call", None)
    assert "then failed while it was traced, and such calls give None. Mend what that trace failed of" in found.text
    assert found.code == "loss = train_step(x)  # gives None"
