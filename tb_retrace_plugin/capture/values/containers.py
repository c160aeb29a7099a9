"""What lists and dictionaries of the program's hold, as Python has it: no `__iter__` or `__getitem__` of the user's is
run."""

from __future__ import annotations

import collections
import itertools
from typing import Any

from tb_retrace_plugin.capture.values.of_type import is_a, is_written_in

SEQUENCES: tuple[Any, ...] = (list, tuple, collections.deque)
#: What a tf.Module makes of dictionaries and lists that are its attributes -> where the user's own lies.
_WRAPPERS = {"_DictWrapper": "__wrapped__", "ListWrapper": "_storage"}


def items_of(value: Any, most: int) -> list[Any]:
    """Of a list, a tuple or a deque, however its class goes through them."""
    value = unwrapped(value)
    kind = next((kind for kind in SEQUENCES if is_a(value, kind)), None)
    return [] if kind is None else list(itertools.islice(kind.__iter__(value), most))


def unwrapped(value: Any) -> Any:
    """The user's own list or dictionary."""
    kind = type(value)
    if is_written_in(kind, "tensorflow.") and kind.__name__ in _WRAPPERS:
        return getattr(value, _WRAPPERS[kind.__name__])
    return value
