"""Metrics that are made anew for each pass."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tests.unit.explain.advice.test_advice_rules import call, history, recreated, thing


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


def test_one_whose_own_method_is_decorated_is_reset_by_the_name_that_it_is_called_on() -> None:
    change = (Change("object_identity", "self", "Dice object #1", "Dice object #2"),)
    verdict = judge(Facts("recreated", change, same_graph=False, other_metrics=True))
    first, *others = (replace(one, stack=call("dice.update_state(x)")) for one in recreated(3))
    others = [replace(one, changes=change, verdict=verdict.word, evidence=verdict.evidence) for one in others]
    (found,) = advise(FunctionFacts("update_state", [first, *others], qualname="Dice.update_state"))
    assert (found.rule, found.traces_after) == ("keep_metric", None)
    assert found.code == "dice.reset_state()  # before each pass, in place of making another"


def test_a_number_that_changes_with_it_would_be_traced_for_itself() -> None:
    first, second, third = metrics(3)
    second = replace(second, changes=(*second.changes, Change("python_value", "l2", "0.0", "0.001")))
    (found,) = advise(FunctionFacts("evaluate", [first, second, third]))
    assert found.text.endswith("before each pass: that needs no trace. Pass `l2` as a tensor, too.")


def test_one_for_training_and_one_for_validation_may_be_meant() -> None:
    assert advise(FunctionFacts("evaluate", metrics(2))) == []


def of_closures(*closure: ClosureChange, count: int = 3, other_nodes: bool = False) -> list[Traced]:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    verdict = judge(Facts("recreated", change, same_graph=False, other_nodes=other_nodes, closure=closure))
    first, *others = recreated(count, None)
    return [first, *(replace(one, verdict=verdict.word, evidence=verdict.evidence) for one in others)]


MEAN = ClosureChange("seen", "Mean metric", "Mean metric", False)


def test_a_metric_that_a_function_made_anew_closes_over_is_kept_as_well() -> None:
    (found,) = advise(FunctionFacts("step", of_closures(MEAN)))
    assert (found.rule, found.traces_after) == ("keep_metric", None)
    assert "`seen` of `step` is another metric in 3 traces" in found.text
    assert "make it once, before the loop, define `step` once, after that, and call `reset_state()`" in found.text
    assert found.code == "seen.reset_state()  # before each pass, in place of making another"
    (found,) = advise(FunctionFacts("step", of_closures(MEAN, replace(MEAN, name="right"))))
    assert "`seen` and `right` of `step` are other metrics in 3 traces" in found.text


def test_one_that_a_function_within_closes_over_is_written_as_that_has_it() -> None:
    """SimCLR's evaluation: `strategy.run(single_step, …)` in the function that is made for each checkpoint."""
    (found,) = advise(FunctionFacts("step", of_closures(replace(MEAN, name="seen of single_step"))))
    assert found.code == "seen.reset_state()  # before each pass, in place of making another"


def test_of_a_metric_among_other_things_nothing_is_known() -> None:
    model = ClosureChange("model", "Sequential object", "Sequential object", False)
    assert advise(FunctionFacts("step", of_closures(MEAN, model))) == []
    assert advise(FunctionFacts("step", of_closures(MEAN, other_nodes=True))) == []
    assert advise(FunctionFacts("step", of_closures(MEAN, count=2))) == []
