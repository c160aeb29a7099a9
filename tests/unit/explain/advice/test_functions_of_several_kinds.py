"""A tf.function made again and again, of which not all are alike: one for all would not do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, call, numbers, recreated, tensor, thing


def of_two_kinds() -> list[Traced]:
    traces = recreated(4)
    traces[2] = replace(traces[2], verdict="unknown", evidence="The graph is another one.")
    return traces


@pytest.mark.parametrize(
    ("name", "source", "comment"),
    [
        ("step", "step(x)", "  # once for each of the 2 kinds: at module level, or before the loop"),
        ("step", "tf.function(step)(x)", "compiled_step = tf.function(step)  # once for each of the 2 kinds, before"),
        ("<lambda>", "f(x)", "f = tf.function(…)  # once for each of the 2 kinds, before the loop"),
    ],
)
def test_one_of_each_kind_is_made(name: str, source: str, comment: str) -> None:
    (found,) = advice([replace(trace, stack=call(source)) for trace in of_two_kinds()], name)
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "of 2 kinds. Define one of each kind once" in found.in_one
    assert comment in (found.code or "")
    assert found.evidence.endswith("can be the same for all calls of one kind.")


def test_each_kind_is_traced_beforehand_for_all_shapes() -> None:
    """A step that each call of `fit` makes, of two models: padding, which changes results, was all that was told."""
    traces = recreated(8)
    for place, trace in enumerate(traces):
        sizes = Signature((("model", thing(90 + place // 4, "Model")), ("x", tensor(place % 2 + 2, 3))))
        changes = (*trace.changes, Change("shape", "x", "(2, 3)", "(3, 3)")) if place % 2 else trace.changes
        lookup = replace(trace.lookup, signature=sizes)
        traces[place] = replace(trace, lookup=lookup, changes=changes, stack=call("step(self.model, x)"))
    traces[4] = replace(traces[4], verdict="unknown", evidence="It closes over another `self`.")
    (found, *_) = advice(traces, "step")
    assert numbers([found]) == [("create_function_once+trace_beforehand", 8, 2)]
    assert "before the first call of each of the 2 tf.function objects: calls of every shape" in found.text
    assert "step.get_concrete_function(self.model, tf.TensorSpec([None, 3], tf.float32))" in (found.code or "")
    assert not found.warnings


def beside_another_kind() -> list[Traced]:
    """The last one is alone of its kind."""
    traces = recreated(4)
    traces[3] = replace(traces[3], verdict="unknown", evidence="The graph is another one.")
    return traces


def test_one_for_all_is_not_asked_for_where_one_is_of_another_kind() -> None:
    (found,) = advice([replace(trace, stack=call("step(x)")) for trace in beside_another_kind()], "step")
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "as others, beside some of other kinds. Define one of each kind once" in found.in_one
    assert "# once for each kind: at module level" in (found.code or "")
    assert found.evidence.endswith("can be the same for all calls of one kind.")
    (found,) = advice(beside_another_kind(), "Sequential", library=True)
    assert "Others are of other kinds, such as those of several models. Make one for each" in found.in_one


@pytest.mark.parametrize(
    ("evidence", "rule", "what"),
    [
        ("`k`: 1 → 2. One object that is passed it as a tensor would do.", "pass_closed_over_number", "`k`"),
        (
            "The new tf.function object closes over another `x` of float32 (2,). One object that is passed it as an"
            " argument would do.",
            "pass_closed_over_tensor", "`x`",
        ),
    ],
)  # fmt: skip
def test_one_that_is_passed_what_others_close_over_is_none_for_those_that_differ_in_more(
    evidence: str, rule: str, what: str
) -> None:
    traces = [replace(t, evidence=evidence) if t.verdict == "avoidable" else t for t in beside_another_kind()]
    (found,) = advice(traces, "step")
    assert numbers([found]) == [(rule, 4, 2)]
    assert what in found.in_one
    assert "Others differ in more: define one for these and pass it" in found.in_one
    (found,) = advice(traces[:3], "step")
    assert "Define it once and pass it" in found.in_one


def test_one_of_each_model_is_made() -> None:
    (found,) = advice(of_two_kinds(), "Sequential", library=True)
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "They are of 2 kinds, such as those of several models. Make one for each" in found.in_one
    assert found.code == "compiled = tf.function(…)  # once for each, before the loop"


def test_one_object_is_made_for_a_flag_by_turns() -> None:
    """The trace of each value of the flag is needed, and the object that it was made in is not."""
    flag = Change("python_value", "training", "True", "False")
    traces = recreated(4)
    new = traces[1].changes[0]
    both = judge(Facts("recreated", (new, flag), same_graph=False, closure=()))
    lookup = replace(traces[1].lookup, signature=Signature((("training", Node("bool", value=False)),)))
    traces[1] = replace(
        traces[1], lookup=lookup, verdict=both.word, evidence=both.evidence, changes=(new, flag), closest=0
    )
    traces[3] = replace(traces[3], lookup=replace(lookup, object_number=4), closest=1)
    (found,) = advice(traces, "step")
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "Define it once" in found.in_one
    assert "kinds" not in found.in_one
