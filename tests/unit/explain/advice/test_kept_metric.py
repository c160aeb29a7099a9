"""Metrics that are made anew for each pass."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tests.unit.explain.advice.test_advice_rules import call, history, thing


def metrics(count: int) -> list[Traced]:
    traces = history(*({"metric": thing(n)} for n in range(1, count + 1)))
    change = Change("object_identity", "metric", "Mean object #1", "Mean object #2")
    verdict = judge(Facts("retrace", (change,), same_graph=False, other_metrics=True))
    return [traces[0], *(replace(t, verdict=verdict.word, evidence=verdict.evidence) for t in traces[1:])]


def test_a_metric_for_each_epoch_is_kept_and_reset() -> None:
    (found,) = advise(FunctionFacts("evaluate", metrics(3)))
    assert (found.rule, found.traces_after) == ("keep_metric", None)
    assert "`metric` of `evaluate` is another metric in 3 traces" in found.text
    assert found.code == "metric.reset_state()  # before each pass, in place of making another"


def test_it_is_reset_by_the_name_that_the_caller_has_for_it() -> None:
    traces = [replace(trace, stack=call("evaluate(self.seen)")) for trace in metrics(3)]
    (found,) = advise(FunctionFacts("evaluate", traces))
    assert (found.code or "").startswith("self.seen.reset_state()  # before each pass")


def test_one_for_training_and_one_for_validation_may_be_meant() -> None:
    assert advise(FunctionFacts("evaluate", metrics(2))) == []
