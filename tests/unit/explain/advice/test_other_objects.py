"""Objects made one of which only the first traces were compared: what others of their graphs hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Signature
from tests.unit.explain.advice.test_advice_rules import call, recreated, tensor


def of_two_shapes(objects: int) -> list[Traced]:
    """Each object is traced for both; the second is compared with its own first."""
    traces: list[Traced] = []
    for first in recreated(objects):
        closest = len(traces) - 2 if traces else None
        traces.append(replace(first, closest=closest, nodes=9, stack=call("step(x)")))
        other = Signature((("x", tensor(3)),))
        changes = tuple(diff_signatures(first.lookup.signature, other))
        verdict = judge(Facts("retrace", changes))
        traces.append(
            replace(
                first, lookup=replace(first.lookup, signature=other), kind="retrace", verdict=verdict.word,
                evidence=verdict.evidence, changes=changes, closest=len(traces) - 1, nodes=9, stack=call("step(x)"),
            )
        )  # fmt: skip
    return traces


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (GraphPair(True, (Constant("float32", 5.0, 6.0),)), "hold other values (5 and 6)"),
        (GraphPair(True, (Constant("float32", (5.0,), (6.0,)),)), "hold other values, of"),
        (GraphPair(False, forward=False), "have other operations"),
        (GraphPair(True, (Constant("float32", 5.0, 6.0, of_gradient=True),)), ""),
        (GraphPair(True), ""),
        (None, ""),
    ],
)
def test_what_a_graph_that_serves_another_object_holds(pair: GraphPair | None, said: str) -> None:
    asked = []

    def compare(one: int, other: int) -> GraphPair | None:
        asked.append((one, other))
        return pair

    found = advise(FunctionFacts("step", of_two_shapes(3), graphs=Graphs(compare)))
    (once,) = (one for one in found if one.rule == "create_function_once")
    assert (once.traces_before, once.traces_after) == (6, 2)
    told = [warning for warning in once.warnings if "graphs of the same arguments" in warning]
    assert (said in told[0] and once.apply is None) if said else not told
    assert (1, 3) in asked


def test_a_trace_that_made_variables_serves_no_call() -> None:
    """Its graph has what initializes them; others are compared with the one that TensorFlow makes after it."""
    first, second, third = recreated(3)
    lookup = replace(first.lookup, variables_created=True)
    made = replace(first, lookup=lookup, kind="variable_creation", verdict="needed")
    asked = []

    def compare(one: int, other: int) -> GraphPair | None:
        asked.append((one, other))
        return GraphPair(one != 0, forward=one != 0)

    traces = [first, made, replace(second, closest=1), replace(third, closest=2)]
    found = advise(FunctionFacts("step", traces, graphs=Graphs(compare)))
    (once,) = (one for one in found if one.rule == "create_function_once")
    assert not [warning for warning in once.warnings if "graphs of the same arguments" in warning]
    assert (1, 3) in asked


def test_what_one_declared_for_all_shapes_would_serve_is_compared_too() -> None:
    """No trace of a second shape stays: the first of them stands for it."""
    pair = GraphPair(True, (Constant("float32", 5.0, 6.0),))
    compared = {(1, 3): pair, (1, 5): pair}
    graphs = Graphs(lambda one, other: compared.get((one, other), GraphPair(True)))
    (declared,) = (
        one
        for one in advise(FunctionFacts("step", of_two_shapes(3), graphs=graphs))
        if one.rule == "create_function_once+input_signature"
    )
    assert (declared.traces_before, declared.traces_after) == (6, 1)
    assert [warning for warning in declared.warnings if "hold other values (5 and 6)" in warning]
    assert declared.apply is None
