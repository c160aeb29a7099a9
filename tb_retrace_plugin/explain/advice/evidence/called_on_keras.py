"""Which method of a Keras model made a trace, and who called it."""

from __future__ import annotations

from collections.abc import Iterable

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, Traced
from tb_retrace_plugin.explain.words.place import is_of_keras_or_tensorflow

#: Of `train_on_batch` Keras 2 makes a dataset of a batch, and maps that with its `class_weight`.
METHODS = ("predict", "evaluate", "fit", "train_on_batch", "test_on_batch")
#: That return, in some versions of Keras, the mean of all batches since the metrics were reset.
_GIVE_METRICS = ("train_on_batch", "test_on_batch")
#: As `compile` does, and a new model.
RESET = "model.reset_metrics()"
_GATHERED = (
    "In some versions of Keras (3.12, say) what {} returns is the mean of all batches since the metrics were reset:"
    " `{}` begins that anew."
)
#: Of Keras 3, and of the Keras 2 that TensorFlow takes for `TF_USE_LEGACY_KERAS`.
_TRAINERS = ("trainer", "/engine/training")


def method_of(trace: Traced) -> str:
    """The public method of the model that was called."""
    frame, _ = _calls(trace)
    return frame.function if frame is not None else ""


def gathered_by_metrics(traces: Iterable[Traced]) -> list[str]:
    """A warning, if what such a method returns may be of batches that another model, or compile, was given."""
    methods = {method_of(trace) for trace in traces}
    told = " and ".join(f"`{method}`" for method in _GIVE_METRICS if method in methods)
    return [_GATHERED.format(told, RESET)] if told else []


def line_of_keras(trace: Traced) -> int:
    frame, _ = _calls(trace)
    return frame.line if frame is not None else 0


def library_that_calls(trace: Traced) -> str:
    """The file that calls the method, where it is a library's and not the user's; "" if it is the user's."""
    _, caller = _calls(trace)
    return caller.file.replace("\\", "/").rpartition("/site-packages/")[2] if caller is not None else ""


def is_of_a_trainer(file: str) -> bool:
    """Whether Keras' training, evaluation and prediction of models are written there."""
    return any(part in file.replace("\\", "/") for part in _TRAINERS)


def _calls(trace: Traced) -> tuple[Frame | None, Frame | None]:
    """The method's frame; and the one that called it if that is a library's."""
    found = caller = None
    for frame in trace.stack:
        if frame.user:
            break
        file = frame.file.replace("\\", "/")
        if frame.function in METHODS and is_of_a_trainer(file):
            found, caller = frame, None  # the outermost: `fit` evaluates in between
        elif found is None or caller is not None or is_of_keras_or_tensorflow(file):
            continue
        elif frame.function != found.function:  # what has its name is the method of a library's own model
            caller = frame
    return found, caller
