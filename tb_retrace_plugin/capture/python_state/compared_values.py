"""What a trace has read, to be compared with what is there later, and its text. Nothing of it is kept alive."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.python_state.all_reads import is_told
from tb_retrace_plugin.capture.python_state.contents import (
    ArrayContents,
    Contents,
    FunctionCode,
    Member,
    code_of_function,
    contents_of,
    contents_of_array,
    member_of,
    same,
    texts_of_change,
    that_binds,
)
from tb_retrace_plugin.capture.python_state.found_reads import Read
from tb_retrace_plugin.capture.python_state.name_values import NOT_THERE
from tb_retrace_plugin.capture.python_state.tensor_arrays import ELEMENTS, Elements, elements_of
from tb_retrace_plugin.capture.values.identity import SameObjects
from tb_retrace_plugin.capture.values.plain_values import is_plain
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.schema.signature import shape_text

_MAX_TEXT = 60
_ITS_DEFAULT = "its default"
#: What is not there any more, or who reads it.
GONE = object()


class Held(NamedTuple):
    """An object that the graph captures, or what it is made of; it is not kept alive."""

    reference: weakref.ReferenceType[Any]
    text: str


class Texts:
    """Of values; the same value has the same text."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._objects = SameObjects()
        self._arrays: dict[ArrayContents, int] = {}
        self._codes: dict[bytes, int] = {}

    def of(self, value: Any) -> str:
        """A user's `__repr__` is not run."""
        if value is NOT_THERE:
            return _ITS_DEFAULT
        if type(value) is Held:
            return value.text
        if type(value) is Member:
            return self._values.shown(value.text, value.type_name)
        if type(value) is FunctionCode:
            return f"function {value.name[:_MAX_TEXT]} #{self._codes.setdefault(value.digest, len(self._codes) + 1)}"
        if type(value) is ArrayContents:
            return f"array #{self._arrays.setdefault(value, len(self._arrays) + 1)}"
        if type(value) is Contents:
            return value.text(self._values, _MAX_TEXT)
        if type(value) is Elements:
            return "elements of then"
        if elements_of(value) is not None:
            return "other elements"
        if is_plain(value):
            return self._values.text(value, _MAX_TEXT)
        if is_told(value):
            number = self._objects.number(value)
            if tf_seam.is_eager_tensor(value):
                return f"tensor #{number} of {value.dtype.name} {shape_text(tuple(value.shape))}"
            return f"{type(value).__name__[:_MAX_TEXT]} #{number}"
        return f"{type(value).__name__} object"[:_MAX_TEXT]

    def of_change(self, traced: Any, now: Any) -> tuple[str, str]:
        """Different ones: equal texts say that it is again what it was."""
        before, after = self.of(traced), self.of(now)
        if before == after:
            before, after = texts_of_change(traced, now, self._values, _MAX_TEXT) or (before, after)
        return (before, after) if before != after else (before, f"{after}, with other values")

    def held(self, value: Any) -> Held | None:
        """None of what no graph captures."""
        if not is_told(value):
            return None
        try:
            return Held(weakref.ref(value), self.of(value))
        except TypeError:
            return None


def value_now(read: Read) -> Any:
    """Plain, or as it is kept; GONE where nothing has it, or nobody reads it."""
    try:
        now = read.value()
    except LookupError:
        return GONE
    return now if is_plain(now) else kept_contents(now) or now


def kept_contents(value: Any) -> Contents | ArrayContents | Member | FunctionCode | None:
    if type(value) is FunctionCode:
        return value
    known = contents_of(value) or contents_of_array(value) or member_of(value) or code_of_function(value)
    return known or _code_of_tf_function(value)


def _code_of_tf_function(value: Any) -> FunctionCode | None:
    """Of one that closes over nothing but plain values: another one of the same code does the same."""
    function = tf_seam.plain_function(value)
    if function is value:
        return None
    try:
        held = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # one that is not filled yet
        return None
    return that_binds(function, [*enumerate(held)]) if all(map(is_plain, held)) else None


def kept_elements(read: Read, value: Any) -> Elements | None:
    return elements_of(value) if read.name.path == ELEMENTS else None


def are_same(one: Any, other: Any) -> bool:
    """Of what two traces read. A weak reference to what exists is one object, and stays one."""
    if type(one) is Held and type(other) is Held:
        return one.reference is other.reference
    return type(one) is type(other) and type(one) is not Elements and same(one, other)


def is_same(now: Any, traced: Any) -> bool:
    """Of what is there now, and what a trace has read."""
    if type(traced) is Held:
        return traced.reference() is now
    if type(traced) is Elements:
        return traced.are(now)
    return same(now, traced)
