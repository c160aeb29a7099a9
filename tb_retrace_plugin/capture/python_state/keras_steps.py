"""What of a Keras model's own code runs in the functions that Keras makes of it for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.unreached import parameters_of
from tb_retrace_plugin.capture.python_state.callees import is_users, written_by_the_user
from tb_retrace_plugin.capture.python_state.code_walk import TRAINED, KerasCall, Passed
from tb_retrace_plugin.capture.python_state.found_reads import Found
from tb_retrace_plugin.capture.python_state.layer_settings import settings_read
from tb_retrace_plugin.capture.python_state.passed_on import TRAINING, defaults_of, is_of_keras_2, training_of
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class, static_attribute

#: Methods that a user may write -> where the model keeps the function that Keras made of it, until it is compiled anew.
_STEPS = {"train_step": "train_function", "test_step": "test_function", "predict_step": "predict_function"}
#: What Keras' own steps, but for `predict_step`, call beside the model: a user may write these in their place.
_LOSS = "compute_loss"
#: Keras 3, and the Keras 2 that TensorFlow takes for `TF_USE_LEGACY_KERAS`.
_KERAS = ("/keras/src/", "/tf_keras/src/")
_MODULES = ("keras.", "tf_keras.")
#: Names of what computes what regularizers add, or hands on to a step that does.
_REGULARIZE = frozenset({"compiled_loss", "compute_loss", "losses", "test_step", "train_step"})
#: Functions of Keras' around the one that runs the step; models within models.
_MAX_DEPTH = 3
_MAX_LAYERS = 200
#: Attributes of Keras' own layers that may be a function of the user's, the first two of which run in each call; the
#: others where there is a loss.
_PARTS = ("function", "activation", "kernel_regularizer", "bias_regularizer", "activity_regularizer")
_RUN = 2
_OWN_TRAINABLE = "self.trainable"
#: What is known where it is a tensor that a layer is told to train by.
_A_TENSOR = f"{TRAINING}.shape.rank"
#: Attributes of layers of Keras 3, and of Keras 2, that have weights, or layers that may.
_HOLDS_WEIGHTS = ("_trainable_variables", "_layers", "_trainable_weights", "_self_tracked_trackables")
#: Of a layer: itself, or the methods that are a call of it.
_CALLS = ("", "call", "__call__")
#: Methods of an optimizer that a step calls; and those in which it reads what it was made with.
_APPLY = ("apply", "apply_gradients", "minimize")
_APPLIES = ("apply", "_clip_gradients", "_apply_weight_decay", "update_step")
_RATE = "_learning_rate"
#: Attributes of Keras' own layers that may be another layer, which they call.
_INNER = ("layer", "forward_layer", "backward_layer", "cell", "cells")


class Runs(NamedTuple):
    """A method of the user's that runs, of which object, and what that is called; or a function, of none.

    `is_keras`: it is the `call` of a layer of Keras' own, of which what it reads of itself is known. `training`: what
    it is told; None: not known.
    """

    function: Any  # a FunctionType, which mypy would take for a method here
    instance: Callable[[], Any]
    text: str
    is_keras: bool = False
    training: bool | None = True

    def read(self) -> list[Found]:
        """Of a layer of Keras' own."""
        ways = (True, False) if self.training is None else (self.training,)
        passed = [functools.partial(self._passed, way) for way in ways]
        return settings_read(self.function, self.instance(), self.text, *passed)

    def _passed(self, training: bool, asked: Collection[str]) -> dict[str, Any]:
        """What is known of what it is called with, by what it asks."""
        known: dict[str, Any] = {TRAINING: training} if TRAINING in asked else {}
        if _OWN_TRAINABLE in asked:
            known[_OWN_TRAINABLE] = static_attribute(self.instance(), "_trainable")
        return known


#: Whether a layer is to train, (None,) if that is not known; None where what it reads of itself is not to be told.
Told = tuple[bool | None] | None


class KerasStep(NamedTuple):
    """`runs`: what is the user's own: a method of the model, or of layers that a model of Keras' is made of, and the
    losses that it is compiled with; and which layers are trained. The model and Keras' function are not kept alive."""

    runs: tuple[Runs, ...]
    model: weakref.ReferenceType[Any]
    made: weakref.ReferenceType[Any]
    kept_as: str

    @property
    def trains(self) -> bool:
        return self.kept_as == _STEPS["train_step"]

    def is_current(self) -> bool:
        """Whether the model still runs the function that was traced."""
        model, made = self.model(), self.made()
        return made is not None and static_attribute(model, self.kept_as) is made


def keras_step(function: Any) -> KerasStep | None:
    """None for any other function than Keras' own around a step, and where none of the code is the user's."""
    found = runs_of(function)
    if found is None:
        return None
    model, step, runs = found
    made = static_attribute(model, _STEPS[step])
    if not runs or made is None or made is MISSING:
        return None
    return KerasStep(runs, weakref.ref(model), weakref.ref(made), _STEPS[step])


def runs_of(function: Any) -> tuple[Any, str, tuple[Runs, ...]] | None:
    """The model, the step and what of that is the user's own, which may be nothing; None for any other function."""
    found = _step_in(function, 0)
    if found is None:
        return None
    model, step = found
    written = in_class(type(model), step)
    is_own = isinstance(written, FunctionType) and is_users(written)
    return model, step, tuple(_of_the_users_step(model, step, written) if is_own else _of_kerass_step(model, step))


def _of_the_users_step(model: Any, step: str, written: Any) -> Iterator[Runs]:
    """What that calls by itself is among what it reads."""
    yield Runs(written, weakref.ref(model), "model")
    if written_by_the_user(type(model)) is None:
        methods = [one for one in vars(type(model)).values() if isinstance(one, FunctionType)]
        adds = step != "predict_step" and any(not _REGULARIZE.isdisjoint(_names_in(one.__code__)) for one in methods)
        yield from itertools.islice(_layers(model, 0, trains=adds, told=None), _MAX_LAYERS)
    above = (vars(kind).get(step) for kind in type(model).__mro__)  # which it may hand on to
    own = [one for one in above if isinstance(one, FunctionType) and is_users(one)]
    if step == "train_step" and not set().union(*(_names_in(one.__code__) for one in own)).isdisjoint(TRAINED):
        yield from trained_layers(model)


def _of_kerass_step(model: Any, step: str) -> Iterator[Runs]:
    """Which calls the model, computes the loss, and applies gradients."""
    written, trains = written_by_the_user(type(model)), step == "train_step"
    if written is not None:
        yield Runs(written, weakref.ref(model), "model")
    else:
        layers = _layers(model, 0, trains=step != "predict_step", told=(True,) if trains else None)
        yield from itertools.islice(layers, _MAX_LAYERS)
    loss = in_class(type(model), _LOSS)
    if step != "predict_step" and isinstance(loss, FunctionType):
        if is_users(loss):
            yield Runs(loss, weakref.ref(model), "model")
        else:
            yield from _losses(model)
    if trains:
        yield from trained_layers(model)
        if _is_an_optimizer(optimizer := static_attribute(model, "optimizer")):
            yield from _optimizer(optimizer, "model.optimizer")


def step_of(function: Any) -> tuple[Any, Any] | None:
    """The model, and the method of it that Keras' function runs; None for any other function."""
    found = _step_in(function, 0)
    return None if found is None else (found[0], in_class(type(found[0]), found[1]))


def _layers(model: Any, depth: int, *, trains: bool, told: Told) -> Iterator[Runs]:
    """The user's own layers of a functional or sequential model, all of which run, and what Keras' own are made with.
    Of a class of the user's not: what it does with its layers is in its code, and what reads that follows them.
    `trains`: or tests: the losses are computed. `told`: what they are called to do is known, or not to be asked for."""
    if _is_of_keras(model) and depth <= _MAX_DEPTH:
        for layer in layers_of(model):
            yield from _layer(
                layer, depth, trains=trains, told=None if told is None or _is_told_to_train(layer) else told
            )


def _layer(layer: Any, depth: int, *, trains: bool, told: Told, text: str = "") -> Iterator[Runs]:
    """`text`: what it is called, where that is not its own name."""
    written = written_by_the_user(type(layer))
    if written is not None:
        yield Runs(written, weakref.ref(layer), str(layer.name), training=None if told is None else told[0])
    elif _is_of_keras(layer):
        yield from _layers(layer, depth + 1, trains=trains, told=told)
    elif depth <= _MAX_DEPTH:
        call = in_class(type(layer), "call")
        if told is not None and isinstance(call, FunctionType):
            yield Runs(call, weakref.ref(layer), text or str(layer.name), is_keras=True, training=told[0])
        for part in _PARTS if trains else _PARTS[:_RUN]:
            if (made_with := vars(layer).get(part)) is not None:
                yield from _called(made_with, f"{layer.name}.{part}")
                own = in_class(type(made_with), "__call__") if part.endswith("_regularizer") else None
                if type(own) is FunctionType and is_written_in(type(made_with), _MODULES):  # `….l2`
                    yield Runs(own, weakref.ref(made_with), f"{layer.name}.{part}", is_keras=True)
        inner = [vars(layer).get(part) for part in _INNER]
        for one in [each for found in inner for each in (found if isinstance(found, list) else [found])]:
            if _is_a_layer(one):
                yield from _layer(one, depth + 1, trains=trains, told=None)  # as that one calls it


def training_told(call: KerasCall) -> bool | None:
    """What a layer or model of Keras' own is told by the user's code; None: that is not known."""
    return training_of(call.holder, call.calls, call.known, call.caller) if _is_a_layer(call.holder) else None


def layers_called(call: KerasCall, training: bool | None) -> Iterator[Runs]:
    """What runs in a call of a layer or model of Keras' own by the user's code, which tells it that. Where that is not
    known, what the user's own layers do is, if they do not ask for it."""
    if not _is_a_layer(call.holder) or call.is_overridden or call.method not in _CALLS:
        return
    adds = any(
        name.path[-1:] == ("losses",) and (name.name, *name.path[:-1])[-1] == (call.name.name, *call.name.path)[-1]
        for _, name in names_of(call.caller.function.__code__).by_text
    )
    layers = _layer(call.holder, 0, trains=adds, told=(training,), text=call.name.text)
    yield from _without_what_asks(layers, training)


def _without_what_asks(runs: Iterable[Runs], training: bool | None) -> Iterator[Runs]:
    """Without the user's own that ask whether they are to train, where that is not known."""
    for run in runs:
        if run.is_keras or training is not None or TRAINING not in parameters_of(run.function.__code__):
            yield run


def call_of_a_layer(function: Any, instance: Any, passed: Passed | None) -> tuple[Runs, ...]:
    """What runs in a call of a layer or model that tf.function was passed itself, or its `call`; () of all else."""
    is_method = isinstance(function, FunctionType) and function.__name__ in _CALLS and not is_users(function)
    layer = instance if is_method else function
    if not _is_a_layer(layer) or passed is None:
        return ()
    known = passed((TRAINING, _A_TENSOR))
    told = known.get(TRAINING)
    if not known and not is_of_keras_2(layer):  # which may be passed it by its place
        written = written_by_the_user(type(layer))
        told = bool(written is not None and defaults_of(written).get(TRAINING))
    told = told if type(told) is bool else None
    return tuple(_without_what_asks(_layer(layer, 0, trains=False, told=(told,)), told))


def step_called(call: KerasCall) -> Iterator[Runs]:
    """What Keras' own step runs, or its `compute_loss`, that the user's code calls or hands its work on to."""
    if call.method in _STEPS and _is_a_layer(call.holder):
        yield from _of_kerass_step(call.holder, call.method)
    elif call.method == _LOSS and _is_a_layer(call.holder):
        yield from _losses(call.holder)


def optimizer_called(call: KerasCall) -> Iterator[Runs]:
    """An optimizer of Keras' own that the user's code has apply gradients."""
    name = call.name
    if name.path and name.path[-1] in _APPLY and _is_an_optimizer(call.holder):
        yield from _optimizer(call.holder, name._replace(path=name.path[:-1]).text)


def _optimizer(optimizer: Any, text: str) -> Iterator[Runs]:
    """What it reads of itself, and a rate that it asks a function or an object of the user's for, in each trace."""
    yield Runs(applies, weakref.ref(optimizer), text)
    yield from _called(vars(optimizer).get(_RATE), f"{text}.learning_rate")


def applies(optimizer: Any) -> list[Any]:
    """The methods of Keras' own in which an optimizer reads what it was made with; they are not called."""
    methods = [in_class(type(optimizer), method) for method in _APPLIES]
    return [method for method in methods if isinstance(method, FunctionType) and not is_users(method)]


def _is_an_optimizer(value: Any) -> bool:
    return any(is_keras_own(kind, ("Optimizer", "BaseOptimizer")) for kind in type(value).__mro__)


def _is_told_to_train(layer: Any) -> bool:
    """Whether some call of it, of this model or another, says itself whether it is to train, or that is not known: in
    Keras 2 that holds, in Keras 3 what the model is told (measured)."""
    if not any(is_written_in(kind, "tf_keras.") for kind in type(layer).__mro__):
        return False
    nodes = vars(layer).get("_inbound_nodes_value")
    if not isinstance(nodes, list):
        return True
    given = [getattr(node, "call_kwargs", None) for node in nodes]
    return any(not isinstance(one, Mapping) or one.get("training") is not None for one in given)


def trained_layers(model: Any) -> Iterator[Runs]:
    """Of a model's layers, and of models within it and theirs, whether they are, or of a layer: it is asked while a
    function is traced, and not when it runs."""
    todo = layers_of(model)[::-1] or ([model] if _is_a_layer(model) else [])
    for _ in range(_MAX_LAYERS):
        if not todo:
            return
        layer = todo.pop()
        within = layers_of(layer) if layer is not model else []
        todo += within[::-1]
        if vars(layer).get("_trainable") is not None and (within or any(map(vars(layer).get, _HOLDS_WEIGHTS))):
            yield Runs(is_trained, weakref.ref(layer), str(layer.name))


def model_of(function: Any) -> Any:
    """The model that Keras made the function for, or what that calls; None of any other function."""
    found = _step_in(function, 0, through=True)
    return None if found is None else found[0]


def layers_of(model: Any) -> list[Any]:
    """By Keras' own property: one that a user has written is not run."""
    layers = in_class(type(model), "layers")
    if not isinstance(layers, property) or not isinstance(layers.fget, FunctionType) or is_users(layers.fget):
        return []
    return list(model.layers)


def is_trained(layer: Any) -> Any:
    """What Keras reads for `layer.trainable`; it is not called."""
    return layer._trainable


def _names_in(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


def _losses(model: Any) -> Iterator[Runs]:
    """The user's own, that Keras' `compute_loss` calls."""
    passed = static_attribute(model, "loss")
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
    """Whether all of its layers run: of a class of Keras' own, or one that has the `call` of such."""
    if written_by_the_user(type(model)) is not None:
        return False
    return any(is_keras_own(kind, ("Functional", "Sequential")) for kind in type(model).__mro__)


def _is_a_layer(value: Any) -> bool:
    return any(is_keras_own(kind, ("Layer",)) for kind in type(value).__mro__)


def is_keras_own(kind: type, names: tuple[str, ...]) -> bool:
    """Whether a class is one of Keras' of these names."""
    return kind.__name__ in names and is_written_in(kind, _MODULES)


def _step_in(function: Any, depth: int, model: Any = None, *, through: bool = False) -> tuple[Any, str] | None:
    """The model and the step's name, in the closure of Keras' function or of one that it calls; of a tf.function only
    if that is gone `through`.

    `model`: of the function around it; Keras 2 passes it on."""
    while (through or isinstance(function, FunctionType)) and "__wrapped__" in getattr(function, "__dict__", ()):
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
            if (found := _step_in(content, depth + 1, model, through=through)) is not None:
                return found
    return None
