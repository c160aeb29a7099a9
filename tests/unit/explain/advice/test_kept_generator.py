"""Generators of random numbers that are made anew for each seed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.explain.verdict.random_generators import GENERATOR, told_of_generators
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import history, thing

_CHANGE = Change("object_identity", "rng", "Generator object #1", "Generator object #2")
_CLASS = "tensorflow.python.ops.stateful_random_ops.Generator"


def _signature(type_name: str = _CLASS) -> Signature:
    return Signature((("rng", Node("object", type_name, identity=2)),))


def _told(facts: Facts, signature: Signature, *, same_nodes: bool = True) -> str:
    verdict = told_of_generators(judge(facts), facts, signature, same_nodes=same_nodes)
    assert verdict is None or verdict.word == "unknown"
    return verdict.evidence if verdict is not None else ""


def _generators(count: int) -> list[Traced]:
    traces = history(*({"rng": thing(n)} for n in range(1, count + 1)))
    evidence = _told(Facts("retrace", (_CHANGE,), same_graph=False), _signature())
    return [traces[0], *(replace(t, verdict="unknown", evidence=evidence) for t in traces[1:])]


def test_one_for_each_seed_is_kept_and_reset() -> None:
    (found,) = advise(FunctionFacts("sample", _generators(3)))
    assert (found.rule, found.traces_after) == ("keep_generator", None)
    assert "`rng` of `sample` is another tf.random.Generator in 3 traces" in found.text
    assert found.code == "rng.reset_from_seed(seed)  # in place of making another"
    assert advise(FunctionFacts("sample", _generators(2))) == []


def test_one_that_is_closed_over() -> None:
    closure = (ClosureChange("rng", GENERATOR, GENERATOR, False),)
    facts = Facts("recreated", (Change("recreated_function", ""),), same_graph=False, closure=closure)
    assert _told(facts, Signature(())).startswith("`rng`, which the new tf.function object closes over, is another")


@pytest.mark.parametrize("type_name", ["numpy.random._generator.Generator", "agents.Generator"])
def test_what_is_none_is_not_told(type_name: str) -> None:
    facts = Facts("retrace", (_CHANGE,), same_graph=False)
    assert _told(facts, _signature(type_name)) == ""
    assert _told(facts, _signature(), same_nodes=False) == ""
