"""A SavedModel's function that was loaded is called with Python numbers, or with what it was not saved for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame, FunctionFacts, Traced
from tests.unit.explain.advice.test_advice_rules import history, number, tensor

_FILE = "/site-packages/tensorflow/python/saved_model/function_deserialization.py"
_EAGER = "/site-packages/tensorflow/python/eager/polymorphic_function"
_WITHIN = Frame(f"{_EAGER}/polymorphic_function.py", 3, "__call__", "", False)


def _advice(traces: list[Traced]) -> list[Advice]:
    called = [replace(trace, stack=(_WITHIN, trace.stack[-1])) for trace in traces]
    return advise(FunctionFacts("restored_function_body", called, library=True, file=_FILE))


def _failing(trace: Traced) -> Traced:
    return replace(trace, lookup=replace(trace.lookup, failed=True))


def test_numbers_are_passed_as_tensors() -> None:
    calls = [{"x": tensor(2), "t": value} for value in (number(1.0), number(0.5))]
    (found,) = _advice(history(*calls, source="policy(x, t)"))
    assert (found.rule, found.traces_after) == ("tensor_for_python_number", 1)
    assert "saved with a signature that takes a tensor for `t`" in found.evidence
    assert found.code == "policy(x, tf.constant(t, tf.float32))"
    (found,) = _advice(history(*calls, {"x": tensor(2), "t": tensor()}, source="policy(x, t)"))
    assert "saved with a signature" not in found.evidence


def test_no_tensor_where_one_failed() -> None:
    traces = history(*({"k": value} for value in (number(1), number(2), tensor(dtype="int32"))))
    (found,) = _advice([*traces[:2], _failing(traces[2])])
    assert found.rule == "call_as_saved"
    assert found.traces_after is None
    assert "The error lists what does" in found.text


def test_no_tensor_where_another_number_failed() -> None:
    """TensorFlow makes a tensor of a number itself where what was saved takes one."""
    traces = history(*({"x": value} for value in (number(-1.0), number(10.0), number(5.0))))
    (found,) = _advice([traces[0], *map(_failing, traces[1:])])
    assert found.rule == "call_as_saved"


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("p = loaded.score(rows)", "loaded.score"),
        ("p = self.models[0].score(rows)", "….score"),
        ("p = self.model(again).score(tf.constant(rows))", "…"),  # which call is meant is not known
    ],
)
def test_what_a_line_gets_anew_is_traced_once_it_is_loaded(source: str, named: str) -> None:
    (found,) = _advice(history(*({"x": tensor(size, 4)} for size in (2, 3)), source=source))
    assert (found.rule, found.traces_after) == ("trace_beforehand", 1)
    assert (found.code or "").endswith(f"\n{named}.get_concrete_function(tf.TensorSpec([None, 4], tf.float32))")
    assert ("`…` stands for what was loaded" in found.in_one) == named.startswith("…")
