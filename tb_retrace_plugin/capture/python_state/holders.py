"""What has the value that a name stands for: a metric whose method is called, an object with a function of its own, a
configuration that is passed on. Nothing is run."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.code.code_names import OBJECTS, Item, Name
from tb_retrace_plugin.capture.python_state.callees import Called, is_users
from tb_retrace_plugin.capture.python_state.name_values import object_of, value_of
from tb_retrace_plugin.capture.values.containers import unwrapped
from tb_retrace_plugin.capture.values.of_type import is_a, module_of
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: Whose objects are read as a whole, if at all.
_HOLD_TENSORS = frozenset({"builtins", "tensorflow", "keras", "tf_keras", "numpy"})
_HOLDERS = (dict, list, tuple)
#: Properties of TensorFlow's modules, Keras' models, layers and optimizers, and GPflow's, that give variables, or what
#: is computed of them.
_GIVE_VARIABLES = frozenset(
    {"embeddings", "iterations", "kernel", "learning_rate", "losses", "parameters", "trainable_parameters"}
) | {f"{which}{what}" for which in ("", "trainable_", "non_trainable_") for what in ("variables", "weights")}
_PLAIN = frozenset({bytes, complex, float, int, str})


def may_hold(value: Any) -> bool:
    """Whether it is a dictionary, a list, or an object of a class that is none of Python's own or a library's of
    tensors."""
    kind = type(unwrapped(value))
    if kind in _HOLDERS or is_a(value, type | ModuleType | FunctionType):
        return kind in _HOLDERS
    module = module_of(kind)
    return type(module) is str and module.partition(".")[0] not in _HOLD_TENSORS


def is_kept_function(name: Name, value: Any, reader: Called) -> bool:
    """Whether it is a function that lies in a list or a dictionary (`ACTIVATIONS["hidden"]`), that an object has as an
    attribute of its own, or that is known by another name than its own (`activation = tf.nn.relu`), which may be
    another one later."""
    if type(value) is not FunctionType or not name.is_called:
        return False
    if not name.path:
        return name.base in ("global", "closure") and value.__name__ != name.name
    if isinstance(name.path[-1], Item):
        return True
    try:
        holder = object_of(name._replace(path=name.path[:-1]), reader.function, reader.instance)
    except LookupError:
        return False
    if is_a(holder, ModuleType | type):
        return False
    return in_class(type(holder), name.path[-1]) is MISSING


def reads_holder(name: Name, value: Any) -> bool:
    """Whether what has that value is read with it: a method, though it is passed on to be called elsewhere, a property
    of the user's, or one that gives variables."""
    if name.is_called:
        return True
    last = name.path[-1] if name.path else None
    if not isinstance(last, str):
        return False
    if is_a(value, property):
        return last in _GIVE_VARIABLES or (type(value.fget) is FunctionType and is_users(value.fget))
    return type(value) is FunctionType


def holder_of(name: Name, reader: Called, is_told: Callable[[Any], bool]) -> tuple[Name, Any] | None:
    """The metric of `metric.update_state(…)`: what a method is called of, where that is a value to be told; itself. And
    the array of `table.mean()`, the text of `MODE.lower()`, and the model of `net.trainable_variables`."""
    if len(name.path) <= (name.base in OBJECTS) or isinstance(name.path[-1], Item):
        return None
    if name.base == "global" and is_a(reader.function.__globals__.get(name.name), ModuleType):
        return None  # `tf.reduce_sum`, as most calls are
    holder = Name(name.base, name.name, name.path[:-1])
    try:
        value = object_of(holder, reader.function, reader.instance)
    except LookupError:
        return None
    is_read = not is_a(value, type) and (is_a(value, np.ndarray) or type(value) in _PLAIN or is_told(value))
    if is_read and type(value_of(holder, reader.function, reader.instance)) is property:
        holder = holder._replace(is_called=True)  # what the property gives is asked for later, too
    return (holder, value) if is_read else None
