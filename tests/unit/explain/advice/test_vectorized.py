"""What TensorFlow traces for a tape's `jacobian` and a `ForwardAccumulator` outside a tf.function."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame
from tb_retrace_plugin.explain.verdict.evidence import MADE_BY_EACH_CALL
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, numbers, recreated, tensor

FORWARD = "/site-packages/tensorflow/python/eager/forwardprop.py"


@pytest.mark.parametrize(("function", "with_tape"), [("jacobian", True), ("vectorized_map", False)])
def test_a_tape_goes_into_the_function_with_what_it_records(function: str, with_tape: bool) -> None:
    frame = Frame("/site-packages/tensorflow/python/eager/backprop.py", 1, function, "", False)
    traces = recreated(3)
    traces = [replace(t, evidence=MADE_BY_EACH_CALL, stack=(frame, *t.stack[1:])) for t in traces]
    (found,) = advice(traces, "f", library=True)
    assert numbers([found]) == [("vectorize_in_a_function", 3, None)]
    tape = "    with tf.GradientTape(…) as tape:\n        …  # all that it records\n" if with_tape else ""
    assert found.code == f"@tf.function  # once, before the loop\ndef vectorized(…):\n{tape}    # f(x)\n    return …"
    assert ("A tape goes into it" in found.in_one) == with_tape


def test_what_is_followed_forward_goes_into_a_function_for_all_shapes() -> None:
    traces = history(*({"op_name": literal("Sin"), "inputs": tensor(n)} for n in (2, 3, 4, 5)))
    (found,) = advice(traces, "_jvp_helper_wrapper", library=True, file=FORWARD)
    assert numbers([found]) == [("forward_mode_in_a_function", 4, None)]
    assert (found.code or "").startswith("@tf.function(reduce_retracing=True)  # once")
    # of a tf.function that is traced for each shape: that is advised on
    inside = [replace(trace, nested=True) for trace in traces]
    assert advice(inside, "_jvp_helper_wrapper", library=True, file=FORWARD) == []
    assert advice(traces, "_jvp_helper_wrapper", library=True, file="/site-packages/other/forwardprop.py") == []
