"""The call of a function that takes more than before: as the user's own lines have it, where they can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame
from tests.unit.explain.advice.test_advice_rules import advice, thing
from tests.unit.explain.advice.test_numbers_of_functions import SCALE, made_anew
from tests.unit.explain.advice.test_numbers_of_objects import holding

_MADE_UP = "step(x, kept_cfg, cfg_number=tf.constant(cfg.…))"


@pytest.mark.parametrize(
    ("source", "kept", "call"),
    [
        ("y = step(x, cfg)", "cfg", "y = step(x, kept_cfg, cfg_number=tf.constant(cfg.…))"),
        ("y = step(x[:2], self.cfg)", "self.cfg", "y = step(x[:2], kept_cfg, cfg_number=tf.constant(self.cfg.…))"),
        ("step(cfg=cfgs[i], x=x)", "cfg", "step(cfg=kept_cfg, x=x, cfg_number=tf.constant(cfgs[i].…))"),
        ("step(x, Cfg(rate))", "cfg", _MADE_UP),  # of which it would be read is another one
        ("step(*arguments)", "cfg", _MADE_UP),
    ],
)
def test_what_an_object_holds(source: str, kept: str, call: str) -> None:
    (found,) = advice(holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source=source), "step")
    assert (found.code or "").splitlines()[-3:] == [f"kept_cfg = {kept}  # once, before the loop", "…", call]


def test_what_is_kept_lasts_longer_than_a_helper_that_may_be_handed_it() -> None:
    def kept(around: str, main: str = "fit()") -> str:
        traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source="y = step(x, cfg)")
        outer = Frame("train.py", 30, "fit", around, True), Frame("train.py", 40, "<module>", main, True)
        stacks = [[replace(f, function="run") if f.user else f for f in trace.stack] for trace in traces]
        traces = [replace(trace, stack=(*own, *outer)) for trace, own in zip(traces, stacks, strict=True)]
        (found,) = advice(traces, "step")
        return (found.code or "").splitlines()[-3]

    once = "kept_cfg = cfg  # once, before the loop"
    assert kept("print(run(x, Cfg(0.1 * i)))") == f"{once}; outside of `run`, if that is called for each"
    both = f"{once}; outside of `run` and `fit`, if these are called for each"
    assert kept("run(x, Cfg(rate))", "fit(rate=0.1 * i)") == both
    assert kept("run()", "fit(rate=0.1 * i)") == once


def test_all_lines_that_call_take_it() -> None:
    traces = holding(*(thing(n, "Cfg") for n in (1, 2, 3)), source="step(x, cfg)")
    (first, *rest) = traces
    frames = tuple(replace(frame, line=99, source="step(batch, config)") for frame in first.stack)
    (found,) = advice([replace(first, stack=frames), *rest], "step")
    assert (found.code or "").splitlines()[-2:] == [
        "step(batch, kept_cfg, cfg_number=tf.constant(config.…))",
        "step(x, kept_cfg, cfg_number=tf.constant(cfg.…))",
    ]
    (found,) = advice([replace(first, stack=frames[:0]), *rest], "step")  # one is not known
    assert (found.code or "").splitlines()[-1] == _MADE_UP


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("step(w, lambda w: w * scale, rate)", "step(w, kept_loss, tf.constant(rate), loss_scale=tf.constant(scale))"),
        (
            "run(step, w, loss=made(2), rate=rates[i])",  # no helper that hands it on
            "step(w, kept_loss, tf.constant(rate), loss_scale=tf.constant(scale))",
        ),
    ],
)
def test_what_a_function_closes_over(source: str, call: str) -> None:
    traces = [
        replace(trace, stack=tuple(replace(frame, source=source) for frame in trace.stack))
        for trace in made_anew(SCALE)
    ]
    assert (advice(traces, "step")[0].code or "").splitlines()[-1] == call
