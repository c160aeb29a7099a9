"""Python objects that may hold numbers, which a graph has as constants: a configuration, a kernel, a Decimal, a range.

Imported by the training process.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Mapping
from dataclasses import replace

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import NOT_READ, ClosedOver, ClosureChange
from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.schema.signature import Node

#: As signatures write an object that is compared by identity, but a module, which a program has by name; as they do one
#: that is compared by its value; and as closures are told of.
_OBJECT = re.compile(r"(?!module )[^\W\d]\w*( loss)? object( #\d+)?")
_VALUE = re.compile(r"(?!range\(|np\.)(another )?[^\W\d][\w.]*(\(.*\)| value)", re.DOTALL)
_OF_A_CLASS = re.compile(r"(?:deleted )?([^\W\d]\w*(?: loss)?) object #\d+")
_A_FUNCTION = re.compile(r"(?:deleted )?function .+ #\d+")
#: Things that a function closes over otherwise.
_WITH_OTHERS = 2
_RANGE = re.compile(r"range(\(-?\d+, -?\d+(?:, -?\d+)?\))")
_PLAIN = frozenset(
    {*("NoneType", "bool", "bytes", "complex", "ellipsis", "float", "int", "module", "range", "str", "type")}
)


def may_hold_numbers(path: str, leaf: Node) -> bool:
    """Of an argument's leaf; `self` is an argument of every method."""
    return leaf.kind in ("literal", "object") and path != "self" and leaf.type_name not in _PLAIN


def is_an_object(value: ClosedOver) -> bool:
    """Of what is closed over: none that is a number, a tensor, a function or a plain value, and no model."""
    return not value.is_tracked and is_of_a_class(value.text)


def may_hold_variables(value: ClosedOver) -> bool:
    """A model or another object that is closed over, or a function that closes over one in turn."""
    return value.is_tracked or is_an_object(value) or any(map(may_hold_variables, value.inside))


def is_beside(change: Change) -> bool:
    """Whether it is of a number or of sizes, which may change with objects and need not choose variables."""
    if change.cause == "python_value":
        return is_number(change.old) and is_number(change.new)
    return change.cause in ("shape", "rank") and "variable" not in change.parts


def is_another_holder(change: Change) -> bool:
    """Whether it is of an object in place of one of the same class, of whatever values."""
    if change.cause == "object_identity":
        return _OBJECT.fullmatch(change.new) is not None and change.path != "self"
    return change.cause == "python_value" and _VALUE.fullmatch(change.new) is not None


def are_of_two_classes(change: Change) -> bool:
    """By the names of the classes: one that is made again has the same. A function is of a class of its own."""
    old, new = _class_of(change.old), _class_of(change.new)
    return bool(old and new) and old != new


def _class_of(text: str) -> str:
    if _A_FUNCTION.fullmatch(text):
        return "function"
    match = _OF_A_CLASS.fullmatch(text)
    return match[1] if match else ""


def closes_over_another_holder(change: ClosureChange) -> bool:
    return change.old == change.new and _OBJECT.fullmatch(change.new) is not None


def closes_over_another_class(change: ClosureChange) -> bool:
    """An object in place of one of another class, by the names of these."""
    return change.old != change.new and is_of_a_class(change.old) and is_of_a_class(change.new)


def is_of_a_class(text: str) -> bool:
    """Of what is closed over: an object, as it is told of."""
    return _OBJECT.fullmatch(text) is not None


def range_of(text: str) -> range | None:
    """None of what is none."""
    match = _RANGE.fullmatch(text)
    try:
        return range(*ast.literal_eval(match[1])) if match else None
    except ValueError:  # a step of 0 is in no recorded one
        return None


def is_another_range(change: Change) -> bool:
    """Of as many numbers."""
    old, new = range_of(change.old), range_of(change.new)
    return old is not None and new is not None and len(old) == len(new)


def with_numbers_read(
    closure: tuple[ClosureChange, ...] | None, read_otherwise: Mapping[str, tuple[str, str]]
) -> tuple[ClosureChange, ...] | None:
    """In place of an object beside other things the numbers that are read of it, where nothing else is read of it that
    is another one: `cfg.rate` of `cfg`. `read_otherwise`: by name, before and now; so a list is told as well."""
    if closure is None:
        return None
    closure = tuple([_with_what_is_read(change, *read_otherwise.get(change.name, ("", ""))) for change in closure])
    if len(closure) < _WITH_OTHERS:
        return closure
    found: list[ClosureChange] = []
    for change in closure:
        own = {name: both for name, both in read_otherwise.items() if name.startswith(f"{change.name}.")}
        are_numbers = bool(own) and all(map(is_number, itertools.chain(*own.values())))
        if are_numbers and closes_over_another_holder(change):
            found += [replace(change, name=n, old=old, new=new, is_number=True) for n, (old, new) in own.items()]
        else:
            found.append(change)
    return tuple(found)


def _with_what_is_read(change: ClosureChange, old: str, new: str) -> ClosureChange:
    """A closure knows plain values alone: of a list in place of None it says that it is not read."""
    if NOT_READ not in (change.old, change.new) or not (old and new):
        return change
    return replace(change, old=old, new=new)
