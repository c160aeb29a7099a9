"""What of a Keras model's own code runs in the functions that Keras makes of it for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.python_reads import is_users, written_by_the_user

#: Methods that a user may write -> where the model keeps the function that Keras made of it, until it is compiled anew.
_STEPS = {"train_step": "train_function", "test_step": "test_function", "predict_step": "predict_function"}
#: What Keras' own steps, but for `predict_step`, call beside the model: a user may write these in their place.
_LOSS = "compute_loss"
#: Keras 3, and the Keras 2 that TensorFlow takes for `TF_USE_LEGACY_KERAS`.
_KERAS = ("/keras/src/", "/tf_keras/src/")
#: Functions of Keras' around the one that runs the step; models within models.
_MAX_DEPTH = 3
_MAX_LAYERS = 200
#: Attributes of Keras' own layers that may be a function of the user's, the first two of which run in each call; the
#: others where there is a loss.
_PARTS = ("function", "activation", "kernel_regularizer", "bias_regularizer", "activity_regularizer")
_RUN = 2


class Runs(NamedTuple):
    """A method of the user's that runs, of which object, and what that is called; or a function, of none."""

    function: Any  # a FunctionType, which mypy would take for a method here
    instance: Callable[[], Any]
    text: str


class KerasStep(NamedTuple):
    """`runs`: what is the user's own: a method of the model, or of layers that a model of Keras' is made of, and the
    losses that it is compiled with. The model and Keras' function are not kept alive."""

    runs: tuple[Runs, ...]
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
    is_own = isinstance(written, FunctionType) and is_users(written)
    loss = inspect.getattr_static(type(model), _LOSS, None)
    if not is_own:  # Keras' own calls the model
        written = written_by_the_user(type(model))
    made = inspect.getattr_static(model, _STEPS[step], None)
    if written is not None:
        runs: tuple[Runs, ...] = (Runs(written, weakref.ref(model), "model"),)
    else:
        runs = tuple(_layers(model, 0, trains=step != "predict_step"))[:_MAX_LAYERS]
    if not is_own and step != "predict_step" and isinstance(loss, FunctionType):
        runs += (Runs(loss, weakref.ref(model), "model"),) if is_users(loss) else tuple(_losses(model))
    if not runs or made is None:
        return None
    return KerasStep(runs, weakref.ref(model), weakref.ref(made), _STEPS[step])


def _layers(model: Any, depth: int, *, trains: bool) -> Iterator[Runs]:
    """The user's own layers of a functional or sequential model, all of which run, and what Keras' own are made with.
    Of a class of the user's not: what it does with its layers is in its code, and what reads that follows them.
    `trains`: or tests: the losses are computed."""
    if not _is_of_keras(model) or depth > _MAX_DEPTH:
        return
    for layer in model.layers:
        written = written_by_the_user(type(layer))
        if written is not None:
            yield Runs(written, weakref.ref(layer), str(layer.name))
        elif not _is_of_keras(layer):
            for part in _PARTS if trains else _PARTS[:_RUN]:
                if (made_with := vars(layer).get(part)) is not None:
                    yield from _called(made_with, f"{layer.name}.{part}")
        else:
            yield from _layers(layer, depth + 1, trains=trains)


def _losses(model: Any) -> Iterator[Runs]:
    """The user's own, that Keras' `compute_loss` calls."""
    passed = inspect.getattr_static(model, "loss", None)
    if isinstance(passed, Mapping):
        passed = list(passed.values())
    for loss in list(passed)[:_MAX_LAYERS] if isinstance(passed, (list, tuple)) else [passed]:
        yield from _called(loss, "loss")


def _called(value: Any, text: str) -> Iterator[Runs]:
    """What a call of `value` runs of the user's: a function, a method, or that of an object, which is called `text`."""
    if isinstance(value, FunctionType):
        if is_users(value):
            yield Runs(value, _none, "")
        return
    instance, function = value, written_by_the_user(type(value))
    if isinstance(value, MethodType) and isinstance(value.__func__, FunctionType) and is_users(value.__func__):
        instance, function, text = value.__self__, value.__func__, ""
    if function is None:
        return
    try:
        yield Runs(function, weakref.ref(instance), text)
    except TypeError:  # of a class with `__slots__`
        return


def _none() -> None:
    return None


def _is_of_keras(model: Any) -> bool:
    kind = type(model)
    return kind.__name__ in ("Functional", "Sequential") and kind.__module__.startswith(("keras.", "tf_keras."))


def _step_in(function: Any, depth: int, model: Any = None) -> tuple[Any, str] | None:
    """The model and the step's name, in the closure of Keras' function or of one that it calls, no tf.function.

    `model`: of the function around it; Keras 2 passes it on."""
    while isinstance(function, FunctionType) and "__wrapped__" in vars(function):
        function = vars(function)["__wrapped__"]
    file = function.__code__.co_filename.replace("\\", "/") if isinstance(function, FunctionType) else ""
    if not any(part in file for part in _KERAS):
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
    model = cells.get("self", model)
    inner = [const for const in function.__code__.co_consts if isinstance(const, CodeType)]
    step = next((name for code in (function.__code__, *inner) for name in code.co_names if name in _STEPS), None)
    if step is not None and model is not None:
        return model, step
    if depth < _MAX_DEPTH:
        for content in cells.values():
            if (found := _step_in(content, depth + 1, model)) is not None:
                return found
    return None
