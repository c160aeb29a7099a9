"""Arguments as the changed program would pass them: numbers as tensors, one dtype, one kind of sequence, same keys."""

from __future__ import annotations

import ast
import copy
import inspect
from typing import Any

from tb_retrace_plugin.capture.applied.change import AppliedChange


def changed_arguments(
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

    if path in change.tensors and isinstance(value, _SINGLE) and _is_as_meant(value, change.tensors[path]):
        dtype = tf.as_dtype(change.tensors[path])
        # a call that was served because its number equalled another one: as its user would write `tf.constant(x)`
        return tf.constant(value) if isinstance(value, float) and dtype.is_integer else tf.constant(value, dtype)
    if path in change.tensors and isinstance(value, list | tuple | range):
        return tf.constant(value, tf.as_dtype(change.tensors[path]))
    if path in change.casts and (tf.is_tensor(value) or hasattr(value, "__array__")):
        value = value if tf.is_tensor(value) else tf.convert_to_tensor(value)
        is_string = value.dtype == tf.string  # nothing casts these
        return value if is_string else tf.cast(value, tf.as_dtype(change.casts[path]))
    kind = _SEQUENCES[change.sequences[path]] if path in change.sequences and type(value) in (tuple, list) else None
    inner = (*change.tensors, *change.casts, *change.keys, *change.sequences)
    if not any(other.startswith(path) and other != path for other in inner):
        return value if kind is None or type(value) is kind else kind(value)
    if isinstance(value, dict):
        changed = copy.copy(value)
        changed.update({key: _converted(v, f"{path}[{key!r}]", change) for key, v in value.items()})
        changed.update(_missing(value, path, change))
        return changed
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_converted(getattr(value, f), f"{path}.{f}", change) for f in value._fields])
    if isinstance(value, list | tuple):
        return (kind or type(value))([_converted(v, f"{path}[{i}]", change) for i, v in enumerate(value)])
    return value


def _is_as_meant(value: complex | str | bytes, dtype: str) -> bool:
    """A bool that stands where numbers do chooses the code, mostly."""
    return isinstance(value, bool) == (dtype == "bool") and isinstance(value, str | bytes) == (dtype == "string")


_SINGLE = int | float | complex | str | bytes
_SEQUENCES: dict[str, Any] = {"tuple": tuple, "list": list}


def _missing(value: dict[Any, Any], path: str, change: AppliedChange) -> dict[Any, Any]:
    """What the dictionary at `path` lacks of the keys that all are to have, as the advice writes them."""
    import tensorflow as tf

    found = {}
    for other, spec in change.keys.items():
        if other.startswith(f"{path}[") and (key := _key(other[len(path) + 1 : -1])) is not None and key not in value:
            make = tf.zeros if spec["dtype"] == "string" or spec.get("zeros") else tf.ones
            found[key] = make(spec["shape"], tf.as_dtype(spec["dtype"]))
    return found


def _key(text: str) -> Any:
    """None for what is no single key."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
