"""Parameters that an input signature leaves out, of a function that the advice writes out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.source.undeclared import with_defaults
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Signature
from tests.unit.explain.advice.test_advice_rules import advice, literal, recreated, tensor

NUMBER = ClosureChange("rate", "0.1", "0.2", True)


@pytest.mark.parametrize(
    ("closure", "same_graph", "shown"),
    [
        ((), True, "def step(x, targets=None):  # once"),
        ((NUMBER,), False, "def step(x, rate, targets=None):  # once\n    …\n\nstep(x, tf.constant(rate))"),
    ],
)
def test_what_is_left_out_comes_last_with_its_default(
    closure: tuple[ClosureChange, ...], same_graph: bool, shown: str
) -> None:
    """A signature declares the first parameters: `rate` after `targets` would be declared in its place."""
    traces = []
    for made in recreated(2, closure, same_graph=same_graph):
        one, other = (Signature((("x", tensor(n)), ("targets", literal(None)))) for n in (2, 3))
        verdict = judge(Facts("retrace", changes := tuple(diff_signatures(one, other))))
        traces.append(replace(made, lookup=replace(made.lookup, signature=one), closest=0 if traces else None))
        traces.append(
            replace(
                traces[-1], lookup=replace(made.lookup, signature=other), kind="retrace", verdict=verdict.word,
                evidence=verdict.evidence, changes=changes, closest=len(traces) - 1,
            )
        )  # fmt: skip
    best = advice(traces, "step")[0]
    assert best.rule.endswith("+input_signature")
    assert best.code is not None
    assert shown in best.code


def test_what_can_be_passed_by_name_alone_stays_so() -> None:
    part = "@tf.function\ndef step(x, mode, mask):  # once\n    …\n\nself.step(mode, x, mask)"
    changed = with_defaults(part, {"mask": "None", "mode": "'a'"}, {"mode"}, "self.step")
    assert changed == "@tf.function\ndef step(x, mask=None, *, mode='a'):  # once\n    …\n\nself.step(x)"
    assert with_defaults("x = tf.constant(x)", {"mask": "None"}, (), "step") == "x = tf.constant(x)"
    assert with_defaults(part, {}, (), "step") == part
