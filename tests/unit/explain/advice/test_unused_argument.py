"""Of values that make no other graph the first is passed at every call, also where a trace is asked for beforehand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.verdict.evidence import CREATES_VARIABLES_LATE
from tests.unit.explain.advice.test_advice_rules import history, literal, tensor, thing


@pytest.mark.parametrize("identities", [(1, 2), (2, 1)])
def test_the_first_one_is_asked_for_and_passed(identities: tuple[int, int]) -> None:
    modes = [replace(literal(text), identity=n) for text, n in zip(("train", "eval"), identities, strict=True)]
    calls = [{"net": thing(7), "x": tensor(n), "mode": mode} for n in (2, 3) for mode in modes]
    traces = history(*calls, source="loss = step(net, x, mode)", same_graph=True)
    found = next(one for one in advise(FunctionFacts("step", traces)) if "unused_argument+" in one.rule)
    assert found.traces_after == 1
    code = found.code or ""
    assert "step.get_concrete_function(net, tf.TensorSpec([None], tf.float32), 'train')" in code
    assert "loss = step(net, x, 'train')" in code


def test_a_value_of_which_a_trace_creates_variables_is_not_known_to_make_no_difference() -> None:
    calls = [{"x": tensor(2), "mode": replace(literal(mode), identity=n)} for n, mode in enumerate(("plain", "affine"))]
    first, second = history(*calls, same_graph=True)
    assert [one.rule for one in advise(FunctionFacts("step", [first, second]))] == ["unused_argument"]
    late = replace(second, evidence=CREATES_VARIABLES_LATE)
    assert "unused_argument" not in [one.rule for one in advise(FunctionFacts("step", [first, late]))]
