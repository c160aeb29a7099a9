"""What Keras calls by itself, with advice on what is passed to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import Frame
from tests.unit.explain.advice.test_advice_rules import advice, history, numbers, tensor

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
