"""Values of Python's own, the standard library's and NumPy's plain types: none of a user's code runs for them."""

from __future__ import annotations

import datetime
import enum
import pathlib
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tb_retrace_plugin.capture.values.identity import text_identity, value_identity
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

_PYTHON = frozenset({type(None), bool, int, float, complex, str, bytes})
_STANDARD = frozenset({
    Decimal, Fraction, datetime.date, datetime.timedelta, uuid.UUID,
    pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath, pathlib.PureWindowsPath,
})  # fmt: skip
#: Nothing else than `repr` tells these apart, and it is short.
_WRITTEN_OUT = frozenset({range, slice, type(...)})
#: Items of a tuple or list that are written out, and how many of them lie within each other.
_MAX_ITEMS = 16
_MAX_DEPTH = 4
_MAX_KEY_READ = 10_000


def is_plain(value: Any) -> bool:
    """Whether `plain_identity` and a text by value are to be had."""
    kind = type(value)
    return kind in _PYTHON or kind in _STANDARD or _is_numpy_scalar(value)


def is_number(value: Any) -> bool:
    """Whether it could be a tensor instead; a bool, of which there are two, is not meant."""
    return type(value) in (int, float, complex) or (_is_numpy_scalar(value) and value.dtype.kind in "iufc")


def is_list_of_numbers(value: Any, most: int) -> bool:
    """Whether a list or tuple could be a tensor instead: of whole numbers alone it is mostly sizes, or axes."""
    if type(value) not in (tuple, list) or not 0 < len(value) <= most or not all(map(is_number, value)):
        return False
    return any(not isinstance(item, int | np.integer) for item in value)


def plain_identity(value: Any) -> int:
    """Of what `is_plain`: equal exactly for equal values of one type. Never 0."""
    if _is_numpy_scalar(value):
        return text_identity(f"numpy {value.dtype.str} {value.tobytes().hex()}".encode())
    return text_identity(f"{type(value).__name__}{value_identity(value)}".encode())


def value_text(value: Any, most: int, depth: int = 0) -> str:
    """Up to `most` characters; of other types than these only the type's name: a user's `__repr__` is not run."""
    kind = type(value)
    if kind is int:  # nearly always
        text = _repr(value)
    elif kind in (str, bytes):
        text = repr(value[:most])
    elif isinstance(value, enum.Enum):
        text = member_text(value)
    elif kind in (tuple, list) and depth < _MAX_DEPTH:
        items = ", ".join([value_text(item, most, depth + 1) for item in value[:_MAX_ITEMS]])
        items += ", …" if len(value) > _MAX_ITEMS else "," if kind is tuple and len(value) == 1 else ""
        text = f"[{items}]" if kind is list else f"({items})"
    elif kind in _PYTHON or kind in _STANDARD or kind in _WRITTEN_OUT:
        text = _repr(value)
    elif _is_numpy_scalar(value):  # as NumPy 2 writes it
        text = f"np.{kind.__name__}({_repr(value.item())})"
    elif kind.__module__ != "builtins" and in_class(kind, "__next__") is not MISSING:  # of itertools, of csv
        text = f"{kind.__name__} iterator"
    else:
        text = f"{kind.__name__} value"
    return text if len(text) <= most else text[: most - 1] + "…"


def member_text(member: enum.Enum) -> str:
    """`Mode.FAST`; of several flags without a name of their own `Opt.A|B`, as Python 3.11 has it; of none `Opt.0`."""
    name = member._name_
    if name is None:
        parts = [one for one in type(member) if one._value_ and one._value_ & member._value_ == one._value_]
        name = "|".join([str(one._name_) for one in parts]) or (str(member._value_) if member._value_ == 0 else "")
    return f"{type(member).__name__}.{name}" if name else f"{type(member).__name__} value"


def key_text(key: Any, most: int) -> str:
    """Of a dictionary's key, equal for keys that are equal: `0`, `0.0`, `False` and `np.int64(0)` are one."""
    if isinstance(key, np.generic) and type(key).__module__ == "numpy":
        key = key.item()
    # of a class of its own too, such as an IntEnum, whose methods may be a user's
    if isinstance(key, str):
        text = repr(str.__getitem__(key, slice(_MAX_KEY_READ)))
    elif isinstance(key, bytes):
        text = repr(bytes.__getitem__(key, slice(_MAX_KEY_READ)))
    elif isinstance(key, int):
        text = _repr(int.__int__(key))
    elif isinstance(key, float) and float.is_integer(key):
        text = _repr(float.__int__(key))
    elif isinstance(key, float):
        text = float.__repr__(key)
    elif isinstance(key, enum.Enum):
        text = member_text(key)
    elif type(key) is tuple:
        items = ", ".join([key_text(item, most) for item in key])
        text = f"({items},)" if len(key) == 1 else f"({items})"
    else:
        try:
            text = repr(key)
        except Exception:
            text = f"{type(key).__name__} (its repr fails)"
    return text if len(text) <= most else _shortened(text, most)


def _shortened(text: str, most: int) -> str:
    """Keys are told apart by their texts: long ones, such as paths, may begin alike, end alike or both."""
    digest = f"{text_identity(text.encode('utf-8', 'surrogatepass')):016x}"[:8]
    head = most // 3
    return f"{text[:head]}…{digest}…{text[len(text) - (most - head - len(digest) - 2) :]}"


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no integers of more than 4300 digits
        return f"{type(value).__name__} value"


def _is_numpy_scalar(value: Any) -> bool:
    kind = type(value)  # `isinstance` would ask an object of the user's for its `__class__`
    return issubclass(kind, np.generic) and kind.__module__ == "numpy" and not issubclass(kind, np.void)
