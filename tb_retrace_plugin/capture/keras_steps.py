"""What of a Keras model's own code runs in the functions that Keras makes of it for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import inspect
import weakref
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.python_reads import is_users, written_by_the_user

#: Methods that a user may write -> where the model keeps the function that Keras made of it, until it is compiled anew.
_STEPS = {"train_step": "train_function", "test_step": "test_function", "predict_step": "predict_function"}
#: Functions of Keras' around the one that runs the step.
_MAX_DEPTH = 3


class KerasStep(NamedTuple):
    """`function`: the user's own that runs, a method of the model. Neither model nor Keras' function is kept alive."""

    function: Any  # a FunctionType, which mypy would take for a method here
    model: weakref.ReferenceType[Any]
    made: weakref.ReferenceType[Any]
    kept_as: str

    def is_current(self) -> bool:
        """Whether the model still runs the function that was traced."""
        model, made = self.model(), self.made()
        return made is not None and inspect.getattr_static(model, self.kept_as, None) is made


def keras_step(function: Any) -> KerasStep | None:
    """None for any other function than Keras' own around a step, and where none of the code is the user's."""
    found = _step_in(function, 0)
    if found is None:
        return None
    model, step = found
    written = inspect.getattr_static(type(model), step, None)
    if not isinstance(written, FunctionType) or not is_users(written):  # Keras' own calls the model
        written = written_by_the_user(type(model))
    made = inspect.getattr_static(model, _STEPS[step], None)
    if written is None or made is None:
        return None
    return KerasStep(written, weakref.ref(model), weakref.ref(made), _STEPS[step])


def _step_in(function: Any, depth: int) -> tuple[Any, str] | None:
    """The model and the step's name, in the closure of Keras' function or of one that it calls, no tf.function."""
    while isinstance(function, FunctionType) and "__wrapped__" in vars(function):
        function = vars(function)["__wrapped__"]
    if not isinstance(function, FunctionType) or "/keras/src/" not in function.__code__.co_filename.replace("\\", "/"):
        return None
    cells = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            continue
    for content in cells.values():
        if isinstance(content, MethodType) and content.__name__ in _STEPS:
            return content.__self__, content.__name__
    step = next((name for name in function.__code__.co_names if name in _STEPS), None)
    if step is not None and "self" in cells:
        return cells["self"], step
    if depth < _MAX_DEPTH:
        for content in cells.values():
            if (found := _step_in(content, depth + 1)) is not None:
                return found
    return None
