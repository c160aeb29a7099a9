"""What Keras and other libraries call by themselves, with advice on what is passed to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tests.unit.explain.advice.test_advice_rules import advice, call, history, numbers, recreated, tensor

SITE = "/venv/lib/python3.11/site-packages"
OF_TENSORFLOW = Frame(f"{SITE}/tensorflow/python/util/traceback_utils.py", 150, "error_handler", "", user=False)
OF_A_METRIC = Frame(f"{SITE}/keras/src/metrics/reduction_metrics.py", 203, "update_state", "", user=False)
OF_A_STEP = Frame(f"{SITE}/keras/src/backend/tensorflow/trainer.py", 88, "train_step", "", user=False)
IN_A_STEP = Frame("/home/me/keras/model.py", 7, "train_step", "self.compute_loss(x, y, p)", user=True)
FIT = Frame("/home/me/keras/train.py", 30, "main", "model.train_on_batch(x, np.ones((4, 1)))", user=True)


@pytest.mark.parametrize(
    ("stack", "nested", "told"),
    [
        ((OF_TENSORFLOW, OF_A_METRIC, OF_A_STEP, FIT), True, "leave out the `tf.function`"),
        ((OF_TENSORFLOW, OF_A_METRIC, IN_A_STEP, OF_A_STEP, FIT), True, "what a layer or a loss is called with"),
        ((OF_TENSORFLOW, OF_A_METRIC, FIT), False, "what a layer or a loss is called with"),
        ((OF_TENSORFLOW, IN_A_STEP, OF_A_STEP, FIT), True, ""),
        ((FIT,), False, ""),
    ],
)
def test_what_keras_passes_is_what_it_is_given(stack: tuple[Frame, ...], nested: bool, told: str) -> None:
    traces = history(*({"y_true": tensor(dtype=dtype)} for dtype in ("float32", "float64")))
    (found,) = advice([replace(trace, stack=stack, nested=nested) for trace in traces], "max_margin_loss")
    assert numbers([found]) == [("one_dtype", 2, 1)]
    notes = [note for note in found.notes if note.startswith("Keras makes the calls")]
    assert [told in note for note in notes] == ([True] if told else [])


def test_a_library_passes_no_argument_more() -> None:
    """`integrator.compile(f)`, which makes a tf.function of it, for each mass that `f` closes over."""
    sampler = Frame(f"{SITE}/sampling/monte_carlo.py", 98, "event", "", user=False)
    closure = (ClosureChange("mass", "0.5", "1.0", is_number=True),)
    for theirs, is_told in ((True, True), (False, False)):
        stack = (OF_TENSORFLOW, *((sampler,) if theirs else ()), *call("compiled.run(x)"))
        (found,) = advice([replace(trace, stack=stack) for trace in recreated(3, closure, same_graph=False)], "f")
        assert found.rule == "pass_closed_over_number"
        told = [note for note in found.notes if note.startswith("`sampling` makes the calls of `f`")]
        assert [note.endswith("keep what the library has made of `f`.") for note in told] == [True] * is_told
    of_dtypes = history(*({"x": tensor(dtype=dtype)} for dtype in ("float32", "float64")))
    (found,) = advice([replace(trace, stack=(sampler, *call("run()"))) for trace in of_dtypes], "f")
    assert "`sampling` makes the calls of `f`: what it is given, or hands on, has to be so." in found.notes
