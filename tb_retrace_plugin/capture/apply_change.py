"""Declares and calls some functions otherwise than the program does, for `tb-retrace try`; no source is touched.

Functions are known by their code: file, line and qualified name, as a recording has them. What `tf.function` makes of
that code is given another `input_signature` or `reduce_retracing`, and Python numbers or tensors that are passed to it
are converted first. This is the one part of Retrace that changes what a program does: it runs in the processes that
`tb-retrace try` starts for it, and nowhere else.
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.function_place import function_of
from tb_retrace_plugin.explain.input_signature import Declared, Nest, Spec, parse_input_signature

#: Frames in which a named tuple's class is looked for, besides the function's own module.
_MAX_FRAMES = 40


@dataclass(slots=True)
class AppliedChange:
    """One function's. `tensors`, `casts`: path of an argument -> dtype. `objects`: tf.functions that were changed."""

    file: str
    line: int
    qualname: str
    input_signature: str = ""
    reduce_retracing: bool = False
    tensors: Mapping[str, str] = field(default_factory=dict)
    casts: Mapping[str, str] = field(default_factory=dict)
    objects: int = 0
    problems: list[str] = field(default_factory=list)

    def is_about(self, function: Any) -> bool:
        return (function.file, function.line, function.qualname) == (self.file, self.line, self.qualname)


def apply_changes(changes: Sequence[AppliedChange]) -> None:
    """From now on, every `tf.function` of these codes is made with its change. Raises SeamMissingError."""
    function_class = tf_seam.function_class()
    init, parameters = function_class.__init__, inspect.signature(function_class.__init__)
    missing = {"python_function", "input_signature", "reduce_retracing"} - set(parameters.parameters)
    if missing:
        raise tf_seam.SeamMissingError(f"tf.function's class takes no {', '.join(sorted(missing))}")
    declared = [parse_input_signature(change.input_signature) if change.input_signature else () for change in changes]
    converted: weakref.WeakKeyDictionary[Any, AppliedChange] = weakref.WeakKeyDictionary()

    @functools.wraps(init)
    def changed_init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = parameters.bind(self, *args, **kwargs)
        found = _change_of(bound.arguments["python_function"], changes)
        if found is not None:
            change = changes[found]
            try:
                specs = [_spec(one, bound.arguments["python_function"]) for one in declared[found]]
            except Exception as error:
                change.problems.append(f"{type(error).__name__}: {error}"[:500])
            else:
                bound.arguments.update({"input_signature": specs} if specs else {})
                bound.arguments.update({"reduce_retracing": True} if change.reduce_retracing else {})
                change.objects += 1
                if change.tensors or change.casts:
                    converted[self] = change
        init(*bound.args, **bound.kwargs)

    function_class.__init__ = changed_init
    if any(change.tensors or change.casts for change in changes):
        for name in ("__call__", "get_concrete_function"):
            setattr(function_class, name, _converting(getattr(function_class, name), converted))


def _change_of(python_function: Any, changes: Sequence[AppliedChange]) -> int | None:
    traced = tf_seam.unwrapped(python_function)
    if traced.structured is not None:  # tf.data declares its functions itself
        return None
    function = function_of(traced.python)
    return next((i for i, change in enumerate(changes) if change.is_about(function)), None)


# --- specifications ---


def _spec(declared: Declared, python_function: Any) -> Any:
    """TensorFlow's own. Raises LookupError for a named tuple whose class is not to be found."""
    import tensorflow as tf

    if isinstance(declared, Nest):
        items = [_spec(item, python_function) for item in declared.items]
        if declared.word == "dict":
            return dict(zip(declared.keys, items, strict=True))
        if declared.word == "named_tuple":
            cls = _named_tuple_class(declared.type_name, python_function)
            by_place = [item for key, item in zip(declared.keys, items, strict=True) if not key]
            by_name = {str(key): item for key, item in zip(declared.keys, items, strict=True) if key}
            return cls(*by_place, **by_name)
        return tuple(items) if declared.word == "tuple" else items
    return _leaf_spec(declared, tf)


def _leaf_spec(spec: Spec, tf: Any) -> Any:
    shape = None if spec.shape is None else [None if d < 0 else d for d in spec.shape]
    dtype = tf.as_dtype(spec.dtype)
    if spec.word == "TensorSpec":
        return tf.TensorSpec(shape, dtype, spec.name or None)
    if spec.word == "SparseTensorSpec":
        return tf.SparseTensorSpec(shape, dtype)
    splits = tf.as_dtype(spec.row_splits_dtype)
    return tf.RaggedTensorSpec(shape, dtype, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)


def _named_tuple_class(name: str, python_function: Any) -> Any:
    """The program's own class: from the function's module, what it closes over, or where it is being declared."""
    python = tf_seam.unwrapped(python_function).python
    places: list[Mapping[str, Any]] = [getattr(python, "__globals__", {})]
    frame: FrameType | None = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame is None:
            break
        places.append(frame.f_locals)
        frame = frame.f_back
    for place in places:
        found = place.get(name)
        if isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields"):
            return found
    raise LookupError(f"the named tuple {name} is not to be found where the function is declared")


# --- what is passed ---


def _converting(method: Callable[..., Any], converted: Mapping[Any, AppliedChange]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        change = converted.get(self)
        if change is not None:
            args, kwargs = _converted_arguments(self.python_function, change, args, kwargs)
        return method(self, *args, **kwargs)

    return call


def _converted_arguments(
    python_function: Any, change: AppliedChange, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    try:
        signature = inspect.signature(python_function)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):  # TensorFlow says what is wrong with it
        return args, kwargs
    for name, parameter in signature.parameters.items():
        if name not in bound.arguments:
            value = _converted(parameter.default, name, change)
            if value is not parameter.default:
                bound.arguments[name] = value
        elif parameter.kind is parameter.VAR_POSITIONAL:
            values = bound.arguments[name]
            bound.arguments[name] = tuple(_converted(v, f"{name}[{i}]", change) for i, v in enumerate(values))
        elif parameter.kind is parameter.VAR_KEYWORD:
            values = bound.arguments[name]
            bound.arguments[name] = {k: _converted(v, f"{name}[{k!r}]", change) for k, v in values.items()}
        else:
            bound.arguments[name] = _converted(bound.arguments[name], name, change)
    return bound.args, bound.kwargs


def _converted(value: Any, path: str, change: AppliedChange) -> Any:
    """The same structure; itself where nothing in it is converted."""
    import tensorflow as tf

    if path in change.tensors and isinstance(value, int | float) and not isinstance(value, bool):
        dtype = tf.as_dtype(change.tensors[path])
        # a call that was served because its number equalled another one: as its user would write `tf.constant(x)`
        return tf.constant(value) if isinstance(value, float) and dtype.is_integer else tf.constant(value, dtype)
    if path in change.casts and (tf.is_tensor(value) or hasattr(value, "__array__")):
        return tf.cast(value, tf.as_dtype(change.casts[path]))
    if not any(other.startswith(path) and other != path for other in (*change.tensors, *change.casts)):
        return value
    if isinstance(value, dict):
        changed = copy.copy(value)
        changed.update({key: _converted(v, f"{path}[{key!r}]", change) for key, v in value.items()})
        return changed
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_converted(getattr(value, f), f"{path}.{f}", change) for f in value._fields])
    if isinstance(value, list | tuple):
        return type(value)([_converted(v, f"{path}[{i}]", change) for i, v in enumerate(value)])
    return value
