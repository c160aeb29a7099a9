"""A name that code reads, with who reads it: by that its value is asked for again. Nothing is run."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Mapping
from types import FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.code_names import Item, Name
from tb_retrace_plugin.capture.code.first_values import AT_FIRST
from tb_retrace_plugin.capture.python_state.answers import answer, holder_name
from tb_retrace_plugin.capture.python_state.callees import Route
from tb_retrace_plugin.capture.python_state.name_values import value_of
from tb_retrace_plugin.capture.values.plain_values import is_plain


class AskedBy(NamedTuple):
    """A function, as what it has `written` there, and plain values that it was `passed`, by what is asked of its
    parameters."""

    function: weakref.ReferenceType[FunctionType]
    written: str
    passed: tuple[tuple[str, Any], ...]


class Read(NamedTuple):
    """A name in the function (or helper function) that reads it. Neither function nor instance is kept alive.

    `instance`: of an argument's attribute, that argument. `route`: what leads to it, which may be another one now.
    `asked_by`: functions of which nothing but tests asks for it, with how it is written there, if no other one reads
    it. `is_one_of`: an item of what a name looks something up in (`targets[n]`): which of them it reads is known by
    what the graph captures alone.
    """

    name: Name
    function: weakref.ReferenceType[FunctionType]
    instance: weakref.ReferenceType[Any] | None
    route: Read | None = None
    asked_by: tuple[AskedBy, ...] = ()
    is_one_of: bool = False

    @property
    def key(self) -> tuple[Any, ...]:
        """Alike for reads of one thing: no two live weak references of the kind are equal by their ids otherwise."""
        by = () if self.route is None else self.route.key
        return (self.name, id(self.function), id(self.instance), *by)

    def value(self) -> Any:
        """The value now. Raises LookupError if it, or its reader, is gone."""
        if self.name.asks:
            return answer(self.name.asks, self._now(holder_name(self.name)), self.name.last)
        return self._now(self.name)

    def object(self) -> Any:
        """The same, of what leads to something else. Raises LookupError."""
        return self._now(self.name._replace(is_called=True))

    def holder(self) -> Any:
        """Of the attribute that it is; None of what is none. Raises LookupError."""
        if not self.name.path:
            return None
        return self._now(self.name._replace(path=self.name.path[:-1], is_called=True))

    def _now(self, name: Name) -> Any:
        function = self.function()
        if function is None:
            raise LookupError
        if self.route is not None:
            return value_of(name, function, self.route.object())
        return value_of(name, function, self.instance() if self.instance is not None else None)


class Found(NamedTuple):
    """`value`: when it was found; it is kept no longer than this is."""

    read: Read
    value: Any


def found_by(function: Any, instance: Any, name: Name, value: Any, route: Read | None = None) -> Found:
    """`function`: what reads it, or what stands for that."""
    try:
        held = None if instance is None else weakref.ref(instance)
    except TypeError:  # of a class with `__slots__`
        held = None
    return Found(Read(name, weakref.ref(function), held, route), value)


def asked_by(function: FunctionType, written: str, known: Mapping[str, Any], passed: Collection[str]) -> AskedBy:
    """`known`: of tests, of which what is `passed` is kept where it is plain."""
    of_parameters = ((one, value) for one, value in known.items() if one.removesuffix(AT_FIRST) in passed)
    return AskedBy(weakref.ref(function), written, tuple([each for each in of_parameters if is_plain(each[1])]))


def read_by_route(route: Route | None) -> Read | None:
    if route is None:
        return None
    name, reader = route
    return found_by(reader.function, reader.instance, name, None, read_by_route(reader.route)).read


def read_by_stand_in(read: Read, reference: weakref.ReferenceType[Any], stand_in: Any) -> Read:
    """With what stands in for what is being freed."""
    return read._replace(
        function=(lambda: stand_in) if read.function is reference else read.function,  # type: ignore[arg-type]
        instance=(lambda: stand_in) if read.instance is reference else read.instance,  # type: ignore[arg-type]
        route=None if read.route is None else read_by_stand_in(read.route, reference, stand_in),
    )


def leads_elsewhere(read: Read, reference: weakref.ReferenceType[Any], stand_in: Any) -> bool:
    """Whether the name that led to what is being freed leads to another object by now."""
    if read.route is None:
        return False
    if read.instance is not reference:
        return leads_elsewhere(read.route, reference, stand_in)
    try:
        return read_by_stand_in(read.route, reference, stand_in).object() is not stand_in
    except LookupError:
        return False


def without_assigned_routes(found: dict[Any, Found], assigned: Collection[str | Item]) -> None:
    """What the code gives itself another object for has been read of the one that it had."""
    for key, one in found.items():
        route = one.read.route
        while route is not None and route.name.last not in assigned and route.name.last_name not in assigned:
            route = route.route
        if route is not None:
            found[key] = one._replace(read=one.read._replace(route=None))
