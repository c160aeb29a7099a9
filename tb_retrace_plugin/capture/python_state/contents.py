"""What lists, tuples and dictionaries of plain values hold, and arrays, to be compared later. None of them is kept."""

from __future__ import annotations

import collections
import dis
import enum
import functools
from hashlib import blake2b
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.compiled_tests import is_only_itself
from tb_retrace_plugin.capture.python_state.name_values import DICTIONARIES
from tb_retrace_plugin.capture.values.containers import unwrapped
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import is_plain, value_text
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.values.static_attribute import in_class

#: More are a table, which is mostly read where it does not change.
_MAX_ITEMS = 64
_MAX_DEPTH = 2
_MAX_SHOWN = 8
_MAX_TEXT = 1000
#: Of an array: that many are hashed in about 30 µs.
_MAX_BYTES = 64 << 10
#: Operations of bytecode that have a constant.
_LOADS = frozenset(dis.hasconst)
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"), tuple: ("(", ")"), dict: ("{", "}"), set: ("{", "}"), frozenset: ("{", "}"),
    collections.deque: ("deque([", "])"),
}  # fmt: skip


class Contents(NamedTuple):
    """`items`: plain values, `Contents` and `ArrayContents`; of a dictionary keys and values by turns, of a set in one
    order."""

    kind: type
    items: tuple[Any, ...]

    def text(self, values: Values, most: int) -> str:
        shown = [_text(item, values, most) for item in self.items[: _MAX_SHOWN * (1 + (self.kind is dict))]]
        if self.kind is dict:
            shown = [f"{key}: {value}" for key, value in zip(shown[::2], shown[1::2], strict=True)]
        dots = ["…"] if len(self.items) > _MAX_SHOWN * (1 + (self.kind is dict)) else []
        first, last = _BRACKETS[self.kind]
        inner = ", ".join([*shown, *dots]) + ("," if self.kind is tuple and len(self.items) == 1 else "")
        text = f"{first}{inner}{last}"
        return text if len(text) <= most else f"{text[: most - 1]}…"

    def text_of(self, place: int, values: Values, most: int) -> str:
        """Of one item, or pair: `[…, 2.0, …]`."""
        step = 1 + (self.kind is dict)
        items = self.items[place * step : (place + 1) * step]
        shown = ": ".join(_text(item, values, most) for item in items)
        parts = [*["…"][: place > 0], shown, *["…"][: (place + 1) * step < len(self.items)]]
        first, last = _BRACKETS[self.kind]
        return f"{first}{', '.join(parts)}{last}"


class ArrayContents(NamedTuple):
    """A graph has them as a constant, whatever becomes of the array."""

    dtype: str
    shape: tuple[int, ...]
    digest: int  # of this process


class Member(NamedTuple):
    """Of an Enum: the same one where its module was loaded again; or one of TensorFlow's dtypes. `is_itself`: it is
    compared by which one it is, as its class says."""

    type_name: str
    text: str
    is_itself: bool = False


def member_of(value: Any) -> Member | None:
    kind = type(value)
    if kind.__name__ == "DType" and is_written_in(kind, "tensorflow."):
        return Member(kind.__name__, f"tf.{value.name}")
    if not issubclass(kind, enum.Enum):
        return None
    return Member(kind.__name__, value_text(value, _MAX_TEXT), is_only_itself(kind))


class FunctionCode(NamedTuple):
    """What a function that is called does; where it is written is no part of it: a cell may be run again."""

    name: str
    digest: bytes


_digests: ByCode[bytes] = ByCode()


def code_of_function(value: Any) -> FunctionCode | None:
    """Of a `functools.partial`, and of a loss of Keras' own, with the plain values that it binds."""
    if type(value) is functools.partial:
        bound = [*enumerate(value.args), *value.keywords.items()]
        return that_binds(value.func, bound, "partial({})")
    if type(value) is not FunctionType and _is_a_loss_of_keras(type(value)):
        held = vars(value)
        passed = held.get("_fn_kwargs")
        bound = [("reduction", held.get("reduction")), *(passed.items() if type(passed) is dict else ())]
        return that_binds(held.get("fn"), bound, f"{type(value).__name__}(…)")
    if type(value) is not FunctionType:
        return None
    value = _within_wrappers(value)
    code = value.__code__
    digest = _digests.get(code) or _digests.put(code, _digest(code))
    if value.__defaults__ or value.__kwdefaults__:
        digest = blake2b(digest + repr(_defaults(value)).encode(), digest_size=16).digest()
    return FunctionCode(code.co_name, digest)


def that_binds(function: Any, bound: list[tuple[Any, Any]], name: str = "{}") -> FunctionCode | None:
    inner = code_of_function(function.__func__ if type(function) is MethodType else function)
    if inner is None:
        return None
    texts = repr([(key, one if is_plain(one) else ...) for key, one in bound])
    return FunctionCode(name.format(inner.name), blake2b(inner.digest + texts.encode(), digest_size=16).digest())


def _is_a_loss_of_keras(kind: type) -> bool:
    """`keras.losses.Huber`, which is made of a function and what that is passed; not a class of the user's."""
    module = in_class(kind, "__module__")
    if type(module) is not str or not module.startswith(("keras.", "tf_keras.")):
        return False
    return any(base.__name__ == "LossFunctionWrapper" for base in kind.__mro__)


def _within_wrappers(function: FunctionType) -> FunctionType:
    """Of a library's function: TensorFlow's operations are all wrapped by one and the same code."""
    while not is_user_file(function.__code__.co_filename):
        inner = vars(function).get("__wrapped__")
        if not isinstance(inner, FunctionType):
            break
        function = inner
    return function


def _defaults(function: FunctionType) -> list[Any]:
    """Those that are plain values."""
    by_place, by_name = function.__defaults__ or (), (function.__kwdefaults__ or {}).copy()
    texts = [value if is_plain(value) else ... for value in by_place]
    return [*texts, *((name, value if is_plain(value) else ...) for name, value in by_name.items())]


def _digest(code: CodeType) -> bytes:
    """By what is loaded of its constants, wherever that lies among them: a docstring is not, and moves the others."""
    operations = bytearray(code.co_code)
    digest = blake2b(digest_size=16)
    digest.update(repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode())
    for place, operation in enumerate(operations[::2]):
        if operation not in _LOADS:
            continue
        number = operations[2 * place + 1]
        if place and operations[2 * place - 2] == dis.EXTENDED_ARG:
            number += operations[2 * place - 1] << 8
        constant = code.co_consts[number] if number < len(code.co_consts) else None
        digest.update(_digest(constant) if isinstance(constant, CodeType) else f"{constant!r},".encode())
        operations[2 * place + 1] = 0
    digest.update(operations)
    return digest.digest()


def contents_of_array(value: Any) -> ArrayContents | None:
    """None of what is no array of numbers of NumPy's own, and of a large one."""
    if type(value) is not np.ndarray or value.dtype.kind not in "biufc" or value.nbytes > _MAX_BYTES:
        return None
    return ArrayContents(value.dtype.name, value.shape, hash(value.tobytes()))


def _text(item: Any, values: Values, most: int) -> str:
    if type(item) is ArrayContents:
        return f"array of {item.dtype} {item.shape}"
    return item.text(values, most) if type(item) is Contents else values.text(item, most)


def texts_of_change(before: Any, now: Any, values: Values, most: int) -> tuple[str, str] | None:
    """Where two differ that begin alike, so that texts of all of them may be equal; None where that is not known."""
    if isinstance(before, str | bytes) and type(before) is type(now):
        differ = (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b)
        cut = max(0, next(differ, min(len(before), len(now))) - _MAX_SHOWN)
        return f"…{values.text(before[cut:], most)}", f"…{values.text(now[cut:], most)}"
    if type(before) is not Contents or type(now) is not Contents or before.kind is not now.kind:
        return None
    step = 1 + (before.kind is dict)
    if len(before.items) != len(now.items):
        return f"{len(before.items) // step} items", f"{len(now.items) // step} items"
    place = next(i for i, (a, b) in enumerate(zip(before.items, now.items, strict=True)) if not same(a, b)) // step
    return before.text_of(place, values, most), now.text_of(place, values, most)


def contents_of(value: Any, depth: int = 0) -> Contents | None:
    """None of what holds more than a few, or anything else than plain values."""
    value = unwrapped(value)
    kind = type(value)
    if kind.__base__ is tuple and "_fields" in vars(kind):  # a named tuple, as what it is taken apart into
        kind = tuple
    if (kind not in _BRACKETS and kind not in DICTIONARIES) or len(value) > _MAX_ITEMS or depth > _MAX_DEPTH:
        return None
    found: list[Any] = []
    for item in [part for pair in {**value}.items() for part in pair] if kind in DICTIONARIES else tuple(value):
        if is_plain(item):
            if isinstance(item, (str, bytes)) and len(item) > _MAX_TEXT:
                return None
            found.append(item)
        elif (inner := contents_of(item, depth + 1) or contents_of_array(item)) is not None:
            found.append(inner)
        else:
            return None
    if kind in (set, frozenset):
        found.sort(key=repr)
    return Contents(dict if kind in DICTIONARIES else kind, tuple(found))


def same(now: Any, before: Any) -> bool:
    """Of plain values, and of `Contents`: also of what they hold, `1` is not `1.0`."""
    if type(now) is not type(before):
        return False
    if type(now) is FunctionCode:
        return bool(now.digest == before.digest)
    if type(now) in (ArrayContents, Member):
        return bool(now == before)
    if type(now) is Contents:
        return (
            now.kind is before.kind and len(now.items) == len(before.items) and all(map(same, now.items, before.items))
        )
    return bool(now == before or (now != now and before != before))  # nan is nan
