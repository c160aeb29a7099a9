"""A tf.function made again and again, of which not all are alike: one for all would not do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tests.unit.explain.advice.test_advice_rules import advice, call, numbers, recreated


def of_two_kinds() -> list[Traced]:
    traces = recreated(4)
    traces[2] = replace(traces[2], verdict="unknown", evidence="The graph is another one.")
    return traces


@pytest.mark.parametrize(
    ("name", "source", "comment"),
    [
        ("step", "step(x)", "  # once for each of the 2 kinds: at module level, or before the loop"),
        ("step", "tf.function(step)(x)", "compiled_step = tf.function(step)  # once for each of the 2 kinds, before"),
        ("<lambda>", "f(x)", "f = tf.function(…)  # once for each of the 2 kinds, before the loop"),
    ],
)
def test_one_of_each_kind_is_made(name: str, source: str, comment: str) -> None:
    (found,) = advice([replace(trace, stack=call(source)) for trace in of_two_kinds()], name)
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "of 2 kinds. Define one of each kind once" in found.text
    assert comment in (found.code or "")
    assert found.evidence.endswith("can be the same for all calls of one kind.")


def test_one_of_each_model_is_made() -> None:
    (found,) = advice(of_two_kinds(), "Sequential", library=True)
    assert numbers([found]) == [("create_function_once", 4, 2)]
    assert "They are of 2 kinds, such as those of several models. Make one for each" in found.text
    assert found.code == "compiled = tf.function(…)  # once for each, before the loop"
