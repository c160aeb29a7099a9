"""Which Python functions a graph calls (`tf.py_function`, `tf.numpy_function`), of which it has but tokens."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain

_MAX_DEPTH = 4


def key_of(tokens: Sequence[bytes], identity_of: Callable[[Any], int]) -> str | None:
    """Equal for graphs that call the same; None: not known. `identity_of` is equal for functions of the same code that
    close over the same."""
    called = [tf_seam.python_function(token) for token in tokens]
    if not all(map(_is_known, called)):
        return None
    return "".join([f":{identity_of(function)}" for function in called])


def _is_known(value: Any, depth: int = 0) -> bool:
    """Whether it is a function that closes over functions and plain values alone, or such a value; or a method of an
    object of the user's. Another object may do the same: AutoGraph and `from_generator` make one for each trace."""
    if (depth and is_plain(value)) or depth >= _MAX_DEPTH:
        return depth < _MAX_DEPTH
    parts: list[Any] = []
    if type(value) is MethodType and not is_written_in(type(value.__self__), "tensorflow."):
        parts = [value.__func__]
    elif type(value) is functools.partial:
        parts = [value.func, *value.args, *value.keywords.values()]
    elif type(value) is FunctionType:
        try:
            parts = [cell.cell_contents for cell in value.__closure__ or ()]
        except ValueError:  # not assigned yet
            return False
        parts += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    else:
        return False
    return all(_is_known(part, depth + 1) for part in parts)
