"""Sizes that each tf.function object has its own of: said with the advice to leave them unknown in all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.shapes.sizes_of_objects import OF_ANY_SIZE
from tb_retrace_plugin.explain.verdict.evidence import OF_OTHER_SHAPES
from tests.unit.explain.advice.test_advice_rules import history, tensor, thing

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


@pytest.mark.parametrize("evidence", ["", f"Each instance is traced for itself, and {OF_OTHER_SHAPES}"])
def test_objects_whose_variables_have_other_shapes_declare_their_own(evidence: str) -> None:
    shapes = [(1, 4, 4), (1, 2, 4), (2, 4, 8), (2, 2, 8)]
    traces = history(*({"self": thing(n), "x": tensor(rows, columns)} for n, rows, columns in shapes))
    traces = [
        replace(trace, lookup=replace(trace.lookup, object_number=number), evidence=evidence if place == 2 else "")
        for place, (trace, (number, *_)) in enumerate(zip(traces, shapes, strict=True))
    ]
    declared = next(one for one in advise(FunctionFacts("step", traces)) if one.rule == "input_signature")
    own = "self.step = tf.function(self.step, input_signature=[tf.TensorSpec([None, …], tf.float32)])  # in `__init__`"
    assert (own in (declared.code or "")) == bool(evidence)
    assert ("[None, None]" in (declared.code or "")) == (not evidence)
    assert (OF_ANY_SIZE in declared.notes) == bool(evidence)
    assert (declared.apply is None) == bool(evidence)
    assert (declared.traces_before, declared.traces_after) == (4, 2)


def test_what_python_looks_for_in_the_class_is_called_there() -> None:
    """`self.__call__ = …` is nothing that `layer(x)` calls."""
    shapes = [(1, 4, 4), (1, 2, 4), (2, 4, 8), (2, 2, 8)]
    traces = history(*({"self": thing(n), "x": tensor(rows, columns)} for n, rows, columns in shapes))
    evidence = f"Each instance is traced for itself, and {OF_OTHER_SHAPES}"
    traces = [
        replace(trace, lookup=replace(trace.lookup, object_number=number), evidence=evidence if place == 2 else "")
        for place, (trace, (number, *_)) in enumerate(zip(traces, shapes, strict=True))
    ]
    declared = next(one for one in advise(FunctionFacts("__call__", traces)) if one.rule == "input_signature")
    assert (declared.code or "").splitlines() == [
        "self._call = tf.function(self._call, input_signature=[tf.TensorSpec([None, …], tf.float32)])"
        "  # in `__init__`, in place of the decorator: `…` is its own size",
        "def _call(self, x):  # what `__call__` has now",
        "def __call__(self, x): return self._call(x)",
    ]
