"""Metadata of a class with `__tf_flatten__`: what of it changed, and what is said of that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.metadata_numbers import differs_in_numbers
from tb_retrace_plugin.explain.verdict.evidence import OTHER_METADATA
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import METADATA, Node, Signature


@pytest.mark.parametrize(
    ("old", "new", "in_numbers"),
    [
        ("(0.5,)", "(0.25,)", True),
        ("([0.5, 1],)", "([0.25, 2],)", True),
        ("({'rate': 0.5, 'name': 'a'},)", "({'rate': 1.5, 'name': 'a'},)", True),
        ("(True,)", "(False,)", False),
        ("(0.5, 'relu')", "(0.25, 'tanh')", False),
        ("(0.5,)", "(0.25, 0.5)", False),
        ("(1,)", "(1.5,)", False),
        ("(None,)", "(0.5,)", False),
        ("tuple ‹3fa94c01›", "tuple ‹3fa94c02›", False),
        ("(Settings(0.5),)", "(Settings(0.25),)", False),
    ],
)
def test_metadata_that_differs_in_numbers(old: str, new: str, in_numbers: bool) -> None:
    change = Change("composite_spec", f"batch{METADATA}", old, new)
    assert differs_in_numbers(change) is in_numbers
    verdict = judge(Facts("retrace", (change,), numbers_alone=True))
    assert (verdict.word, OTHER_METADATA in verdict.evidence) == (
        ("avoidable", True) if in_numbers else ("unknown", False)
    )
    assert judge(Facts("retrace", (change,))).word == "unknown"


def test_it_can_be_a_component() -> None:
    traces: list[Traced] = []
    for number, limit in enumerate((0.5, 0.25, 0.125), 1):
        of_metadata = Node("custom", type_name="tuple", value=f"({limit},)", identity=number)
        values = Node("tensor", dtype="float32", shape=(2,))
        node = Node("custom_nest", type_name="Capped", identity=1, children=((".x", values), (METADATA, of_metadata)))
        signature = Signature((("batch", node),))
        changes = tuple(diff_signatures(traces[-1].lookup.signature, signature)) if traces else ()
        verdict = judge(Facts("retrace" if traces else "first", changes, numbers_alone=True))
        traces.append(Traced(Lookup(signature), "retrace" if traces else "first", verdict.word, verdict.evidence,
                             changes, len(traces) - 1 if traces else None))  # fmt: skip
    (found,) = advise(FunctionFacts("capped", traces))
    assert (found.rule, found.traces_before, found.traces_after, found.apply) == ("tensor_component", 3, 1, None)
    assert "what `__tf_flatten__` of `Capped` returns first" in found.text
    assert (found.code or "").startswith("class Capped:\n    def __tf_flatten__(self):")
    # another trace of which that is not known needs one of its own
    (found,) = advise(FunctionFacts("capped", [*traces[:2], replace(traces[2], verdict="unknown", evidence="")]))
    assert found.traces_after == 2
