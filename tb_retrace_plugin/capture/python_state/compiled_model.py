"""What the Keras model of a function that Keras made of one of its steps was compiled with. Nothing of the program's is
run, and no variable is read."""

from __future__ import annotations

import enum
import weakref
from types import FunctionType
from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.python_state.callees import is_users
from tb_retrace_plugin.capture.python_state.contents import code_of_function
from tb_retrace_plugin.capture.python_state.keras_steps import model_of, trained_layers
from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in
from tb_retrace_plugin.capture.values.static_attribute import static_attribute
from tb_retrace_plugin.explain.earlier_traces.compiled import OPTIMIZER, Compiled

#: Where a model keeps what `compile` was given, in Keras 3 and in Keras 2.
_KEPT, _CONFIG = "_compile_config", "config"
_RATE, _INNER = "_learning_rate", "inner_optimizer"
_KERAS = ("keras.", "tf_keras.")
_SCHEDULES = ".schedules."
_PLAIN = (bool, int, float, str, type(None))
#: Attributes of Keras' objects that are no setting; and those that are one, for all their names.
_NO_SETTINGS = frozenset({"name", "built", "dtype", "jit_compile"})
_SETTINGS = frozenset({"_fn", "_fn_kwargs"})
_VARIABLES = ("KerasVariable", "Variable")
_CONTAINERS = (list, tuple, dict)
_MAX_ITEMS, _MAX_DEPTH, _MAX_TEXT = 64, 4, 1000


def compiled_model(function: Any) -> Compiled | None:
    """None of any other function, and of a model that was never compiled."""
    model = model_of(function)
    kept = static_attribute(model, _KEPT) if model is not None else None
    config = vars(kept).get(_CONFIG) if hasattr(kept, "__dict__") else None
    if model is None or type(config) is not dict:
        return None
    layers = [(run.text, run.instance()) for run in trained_layers(model)]
    frozen = frozenset(name for name, layer in layers if layer is not None and not vars(layer).get("_trainable"))
    given = {str(name): _text(value, 0) for name, value in config.items() if name != OPTIMIZER}
    return Compiled(frozen, {**_optimizer(static_attribute(model, OPTIMIZER)), **given}, weakref.ref(kept))


def _optimizer(optimizer: Any, name: str = OPTIMIZER) -> dict[str, str | None]:
    """Of one of Keras' own, and of one within it, whose loss it scales."""
    if not _is_keras_own(optimizer):
        return {name: None}
    attributes = _attributes(optimizer)
    within = _optimizer(attributes.pop(_INNER), f"{name}.{_INNER}") if _INNER in attributes else {}
    settings = {f"{name}.{key}": _text(value, 1) for key, value in attributes.items()}
    rate = vars(optimizer).get(_RATE)
    is_read = _SCHEDULES in type(rate).__module__ or isinstance(rate, FunctionType)  # else a variable
    settings[f"{name}.learning_rate"] = _text(rate, 1) if is_read else "a number"
    return {name: type(optimizer).__name__, **settings, **within}


def _attributes(value: Any) -> dict[str, Any]:
    """Without variables, which hold what has been computed."""
    return {
        name: one
        for name, one in list(vars(value).items())[:_MAX_ITEMS]
        if (name in _SETTINGS or not name.startswith("_")) and name not in _NO_SETTINGS and not _is_a_variable(one)
    }


def _is_a_variable(value: Any) -> bool:
    """Also of a list of some."""
    if _is_a_container(value) and not is_a(value, dict) and len(value):
        return all(map(_is_a_variable, value))
    of_keras = _is_keras_own(value) and any(kind.__name__ in _VARIABLES for kind in type(value).__mro__)
    return of_keras or (is_a(value, tf.Variable) and is_written_in(type(value), "tensorflow."))


def _is_a_container(value: Any) -> bool:
    """Python's own, or one that Keras or TensorFlow has put in its place to see what changes in it."""
    is_tracked = is_written_in(type(value), (*_KERAS, "tensorflow.python.trackable."))
    return type(value) in _CONTAINERS or (is_tracked and is_a(value, _CONTAINERS))


def _text(value: Any, depth: int) -> str | None:
    """None: what it does is not known by what it is."""
    text = _of(value, depth)
    return text if text is not None and len(text) <= _MAX_TEXT else None


def _of(value: Any, depth: int) -> str | None:
    if type(value) in _PLAIN or (is_a(value, enum.Enum) and _is_keras_own(value)):
        return repr(value)
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, FunctionType):
        if not is_users(value):
            return value.__qualname__
        return _of_users_function(value, depth)
    if _is_a_container(value):
        pairs = list(value.items()) if is_a(value, dict) else [("", one) for one in value]
        texts = [(str(name), _text(one, depth + 1)) for name, one in pairs[:_MAX_ITEMS]]
        if len(pairs) > _MAX_ITEMS or any(text is None for _, text in texts):
            return None
        items = ", ".join(f"{name!r}: {text}" if name else str(text) for name, text in texts)
        return f"{{{items}}}" if is_a(value, dict) else f"[{items}]"
    if not _is_keras_own(value):
        return None
    parts = {name: _text(one, depth + 1) for name, one in _attributes(value).items()}
    if any(text is None for text in parts.values()):
        return None
    return f"{type(value).__name__}({', '.join(f'{name}={text}' for name, text in parts.items())})"


def _of_users_function(function: FunctionType, depth: int) -> str | None:
    """With what it closes over and has by default, if it is made anew: of lambdas a line may have several."""
    code = function.__code__
    name = f"{function.__module__}.{function.__qualname__}"
    if vars(function).get("__wrapped__"):
        return None
    is_lambda = function.__name__ == "<lambda>"
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if "<" not in name and not function.__closure__:
        return name
    if is_lambda and (of := code_of_function(function)) is not None:  # of which a line may have several
        name = f"lambda {of.digest.hex()[:6]}"
    else:
        name = function.__qualname__.replace("<locals>.", "")
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # not given yet
        return None
    texts = [_text(one, depth + 1) if _is_plain(one) else None for one in (*cells, *defaults)]
    if None in texts:
        return None
    names = [f"{one}=" for one in code.co_freevars] + [""] * len(defaults)
    given = ", ".join(f"{one}{text}" for one, text in zip(names, texts, strict=True))
    return f"{name}({given}) of line {code.co_firstlineno}"


def _is_plain(value: Any) -> bool:
    """Whether what a function does with it is known by what it is: a model, say, holds variables of its own."""
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    return type(value) in _PLAIN or (isinstance(value, FunctionType) and not value.__closure__)


def _is_keras_own(value: Any) -> bool:
    """Of a class of Keras': one of the user's may do anything."""
    return not is_a(value, type) and is_written_in(type(value), _KERAS) and hasattr(value, "__dict__")
