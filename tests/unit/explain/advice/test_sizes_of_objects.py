"""Sizes that each tf.function object has its own of: said with the advice to leave them unknown in all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tests.unit.explain.advice.test_advice_rules import history, tensor

_SAID = "Each tf.function object has one size of dimension 1 of `x`, and others have another."


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([(1, 4, 4), (1, 2, 4), (2, 4, 8), (2, 2, 8)], True),
        ([(1, 4, 4), (1, 2, 8), (2, 4, 8), (2, 2, 4)], False),  # it changes in one, too
        ([(1, 4, 4), (1, 2, 4), (2, 8, 4), (2, 3, 4)], False),  # rows of batches
        ([(1, 4, 4), (1, 2, 8)], False),
    ],
)
def test_what_an_object_is_made_for_may_have_to_be_known(shapes: list[tuple[int, int, int]], *, said: bool) -> None:
    traces = history(*({"x": tensor(rows, columns)} for _, rows, columns in shapes))
    traces = [
        replace(trace, lookup=replace(trace.lookup, object_number=number))
        for trace, (number, *_) in zip(traces, shapes, strict=True)
    ]
    declared = next(one for one in advise(FunctionFacts("step", traces)) if one.rule == "input_signature")
    assert any(note.startswith(_SAID) for note in declared.notes) == said
