"""Advice on a layer's `call` that is a tf.function, which Keras traced to build the layer."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, Traced
from tests.unit.explain.advice.test_advice_rules import advice, history, tensor

KERAS = "/site-packages/keras/src"


def built(*functions: str) -> list[Traced]:
    """The first trace has the initial values in place of two variables, and more nodes for it."""
    first, *rest = history(*({"x": tensor(n, 3)} for n in (4, 2)))
    frames = tuple(Frame(f"{KERAS}/{name}.py", 1, name, "", False) for name in functions)
    first = replace(first, nodes=19, stack=(first.stack[0], *frames, *first.stack[1:]))
    return [first, *(replace(trace, nodes=9) for trace in rest)]


def test_that_a_trace_holds_initial_values_is_said_first() -> None:
    found = advice(built("compute_output_spec", "_maybe_build"), "call")
    assert [one.rule for one in found] == ["input_signature"]  # and nothing is unrolled
    assert found[0].in_one.startswith(
        "By itself this can change results: trace 1 was made while Keras built the layer: of weights that did not exist"
    )
    assert "Leave `call` undecorated" in found[0].in_one
    assert found[0].apply is None
    # of a symbolic call the layer has been built before
    symbolic = advice(built("compute_output_spec", "symbolic_call"), "call")
    assert not any("Keras" in one.in_one for one in symbolic)
