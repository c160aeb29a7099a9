"""Which of Python's own values a function's code reads from outside: globals, closures, attributes. Nothing is run."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.code.code_names import OBJECTS, Item, Name, names_of
from tb_retrace_plugin.capture.code.compiled_tests import COUNTED
from tb_retrace_plugin.capture.code.read_whole import read_whole
from tb_retrace_plugin.capture.code.source_places import Place
from tb_retrace_plugin.capture.code.unreached import NO_TESTS, parameter_in, tests_of, unreached
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of
from tb_retrace_plugin.capture.python_state.contents import code_of_function
from tb_retrace_plugin.capture.python_state.name_values import items_of, length_of, value_of, value_or_whole
from tb_retrace_plugin.capture.python_state.passed_on import is_passed_as_written, read_to_be_said, with_what_is_passed
from tb_retrace_plugin.capture.values.plain_values import is_plain

#: A helper function's helper's helper… is followed so far, and so many functions in all.
_MAX_DEPTH = 3
_MAX_FUNCTIONS = 50
_MAX_READS = 200
#: Of a list of layers, that are followed.
_MAX_ITEMS = 16
#: By which a step asks a model of Keras' what to train.
TRAINED = ("trainable_variables", "trainable_weights")
_TRAINABLE = "trainable"
#: Told of where they are read whole.
_CONTAINERS = (list, tuple, dict, set, frozenset, np.ndarray)


class Read(NamedTuple):
    """A name in the function (or helper function) that reads it. Neither function nor instance is kept alive.

    `instance`: of an argument's attribute, that argument. `route`: what leads to it, which may be another one now.
    """

    name: Name
    function: weakref.ReferenceType[FunctionType]
    instance: weakref.ReferenceType[Any] | None
    route: Read | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """Alike for reads of one thing: no two live weak references of the kind are equal by their ids otherwise."""
        by = () if self.route is None else self.route.key
        return (self.name, id(self.function), id(self.instance), *by)

    def value(self) -> Any:
        """The value now. Raises LookupError if it, or its reader, is gone."""
        value = self._now(self.name)
        if self.name.is_length and (value := length_of(value)) is None:
            raise LookupError
        return value

    def holder(self) -> Any:
        """Of the attribute that it is; None of what is none. Raises LookupError."""
        return self._now(self.name._replace(path=self.name.path[:-1])) if self.name.path else None

    def _now(self, name: Name) -> Any:
        function = self.function()
        if function is None:
            raise LookupError
        if self.route is not None:
            return value_of(name, function, self.route.value())
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


def _read_of(route: tuple[Name, Called] | None) -> Read | None:
    if route is None:
        return None
    name, reader = route
    return found_by(reader.function, reader.instance, name, None, _read_of(reader.route)).read


#: Plain values by what is asked of parameters: `training`, `x.shape.rank`.
Passed = Callable[[Collection[str]], Mapping[str, Any]]
#: Of a read: whether of `super()`, or a length, its name and path, by which globals, and of which instance.
_Key = tuple[bool, bool, str, tuple[str | Item, ...], int, int]


def _nothing(value: Any) -> bool:
    return False


def reads_of(
    function: FunctionType, instance: Any = None, text: str = "", arguments: Mapping[str, Any] | None = None,
    *, is_told: Callable[[Any], bool] = _nothing, passed: Passed | None = None, trained: list[Any] | None = None,
) -> list[Found]:  # fmt: skip
    """What `function` and the user's own functions that it calls read, without what any of them assigns itself.

    `text`: what the instance is called, in place of the name of the first parameter. `arguments`: objects that it is
    passed, by its parameters; what functions that it calls read of those is not found. `is_told`: of what is called,
    and followed, or of which a method is called, whether it is a value besides; with it lists, dictionaries
    and arrays are found that are read whole, and none of what was not come to, for what is asked of `passed`, too.
    `trained`: gets what is asked for its trainable variables.
    """
    found, stored, _ = _all_reads(function, instance, text, arguments or {}, is_told, passed, trained)
    return [one for one in found if _last(one.read.name) not in stored]


def reads_and_counts(
    function: FunctionType, instance: Any = None, arguments: Mapping[str, Any] | None = None
) -> tuple[list[Read], list[Read]]:
    """As `reads_of`; and of what they assign, what they read besides."""
    found, stored, counted = _all_reads(function, instance, "", arguments or {})
    last = [(read, _last(read.name)) for read, _ in found]
    return [read for read, name in last if name not in stored], [read for read, name in last if name in counted]


def _all_reads(
    function: FunctionType, instance: Any, text: str, arguments: Mapping[str, Any],
    is_told: Callable[[Any], bool] = _nothing, passed: Passed | None = None,
    trained: list[Any] | None = None, changing: frozenset[str | Item] = frozenset(),
) -> tuple[list[Found], set[str | Item], set[str]]:  # fmt: skip
    """`changing`: last names of what is assigned somewhere in all this: what it was when it was asked is not known."""
    if not names_of(function.__code__).by_text:
        return [], set(), set()
    looks_at_all = is_told is not _nothing
    counted: set[str] = set()
    found: dict[_Key, Found] = {}
    containers: list[_Key] = []
    stored: set[str | Item] = set()
    relied_on: set[str] = set()
    counted_on = False
    left_out: list[Called] = []
    seen: dict[tuple[int, int, tuple[Any, ...]], CodeType] = {}
    todo: list[tuple[Called, int]] = [(Called(function, instance, text), 0)]
    while todo and len(seen) < _MAX_FUNCTIONS:
        reads_it, depth = todo.pop()
        code = reads_it.function.__code__
        if reads_it.route is not None and (not looks_at_all or is_told(reads_it.instance)):
            reads_it = reads_it._replace(route=None)  # that it is another one is told itself
        given = [(one, v if is_plain(v) else id(v)) for one, v in reads_it.passed.items()] if reads_it.passed else []
        key_of_call = id(code), id(reads_it.instance), tuple(given)
        if key_of_call in seen:
            continue
        seen[key_of_call] = code
        names = names_of(code)
        stored |= names.stored
        counted |= names.counted
        reached: list[tuple[str, Name, Name, Any, Called, Called | None]] = []
        for written, loaded in names.by_text:
            reader = reads_it
            name = loaded._replace(name=reader.text) if loaded.base == "self" and reader.text else loaded
            if name.base == "self" and reader.instance is None:
                name = name._replace(base="argument")
            if name.base == "argument":
                if depth or name.name not in arguments or name.name in names.reassigned:
                    continue
                reader = reader._replace(instance=arguments[name.name])
            try:
                name, value = value_or_whole(name, reader.function, reader.instance)
            except LookupError:
                continue
            runs = name.is_called or names.passed_on_runs or isinstance(value, property)
            called = callee_of(value, name, reader) if runs else None
            reached.append((written, loaded, name, value, reader, called))
        behind: Collection[str] = ()
        tests = tests_of(code, names) if looks_at_all else NO_TESTS
        if tests is not NO_TESTS:
            asked = {one[0]: one[3] for one in reached if one[0] in tests.asked}
            calls = [one for one in reached if one[5] is not None and one[0] in tests.calls] if tests.calls else []
            if not depth and (tests.branches or calls) and tests.of_parameters:
                objects = {one: arguments[one] for one in tests.of_parameters if one in arguments}
                more = passed(tests.of_parameters) if passed is not None else {}
                reads_it = reads_it._replace(passed={**objects, **more})
            known = {text: value for text, value in asked.items() if _end(text) not in changing}
            if reads_it.passed:
                hidden = names.reassigned
                known |= {one: v for one, v in reads_it.passed.items() if parameter_in(one) not in hidden}
            said: frozenset[Place] = frozenset()
            for written, _, _, value, _, called in calls:
                if called is not None and is_passed_as_written(value, called):
                    said |= read_to_be_said(called, tests.calls[written])
            behind = unreached(tests, known, said)
            if behind:
                relied_on.update(map(_end, known))
                counted_on = counted_on or any(type(value) in COUNTED for value in known.values())
        for written, loaded, name, value, reader, called in reached:
            if behind and written in behind:
                if name.is_called and called is not None:
                    left_out.append(called)
                continue
            if trained is not None and name.path and name.path[-1] in TRAINED:
                asked_of = Name(name.base, name.name, name.path[:-1])
                trained.append(value_of(asked_of, reader.function, reader.instance))
            if looks_at_all and name.is_called and (holder := _holder(name, reader, is_told)) is not None:
                _add(found, *holder, reader)
            if depth < _MAX_DEPTH and called is not None:
                if written in tests.calls and is_passed_as_written(value, called):
                    called = with_what_is_passed(called, tests.calls[written], known, reads_it)
                todo.append((called, depth + 1))
                if looks_at_all and called.function is value:  # it may be another one later
                    function_key = _add(found, name, code_of_function(value), reader)
                    containers += [function_key] if written in names.keyed else []
                if not is_told(value):
                    continue
            is_container = looks_at_all and isinstance(value, _CONTAINERS)
            if is_container:
                whole = read_whole(code)
                if depth < _MAX_DEPTH and written in whole.called:
                    for item, one, called_one in _called_in(value, name, reader):
                        todo += [(called_one, depth + 1)] if called_one is not None else []
                        if (what := one if is_told(one) else code_of_function(one)) is not None:
                            containers.append(_add(found, item, what, reader))
                if written in whole.counted and (length := length_of(value)) is not None:
                    name, value = name._replace(is_length=True), length
                elif len(name.path) < len(loaded.path) or written not in whole.read:
                    continue  # of an item the others say nothing
            key = _add(found, name, value, reader)
            if is_container or written in names.keyed:
                containers.append(key)
    filled: set[str | Item] = set()
    if containers or counted_on:
        filled.update(name for code in seen.values() for name in read_whole(code).filled)
    if relied_on and (assigned := relied_on & (stored | filled | _assigned_by(left_out, counted_on=counted_on))):
        return _all_reads(function, instance, text, arguments, is_told, passed, trained, changing | assigned)
    for key in containers:  # that the code may change itself
        if key in found and _last_name(found[key].read.name) in filled:
            del found[key]
    if any(one.read.route is not None for one in found.values()):
        filled.update(name for code in seen.values() for name in read_whole(code).filled)
        _without_assigned_routes(found, stored | filled)
    if trained and _TRAINABLE in stored:  # which the code sets itself, for a part of it
        trained.clear()
    return list(found.values()), stored, counted


def _without_assigned_routes(found: dict[_Key, Found], assigned: Collection[str | Item]) -> None:
    """What the code gives itself another object for has been read of the one that it had."""
    for key, one in found.items():
        route = one.read.route
        while route is not None and _last(route.name) not in assigned and _last_name(route.name) not in assigned:
            route = route.route
        if route is not None:
            found[key] = one._replace(read=one.read._replace(route=None))


def _assigned_by(functions: Iterable[Called], *, counted_on: bool) -> set[str | Item]:
    """Last names of what these assign, and what they call, as far as it can be told. `counted_on`: and of lists that
    they fill or empty."""
    stored: set[str | Item] = set()
    seen: set[CodeType] = set()
    todo = list(functions)
    while todo and len(seen) < _MAX_FUNCTIONS:
        reader = todo.pop()
        code = reader.function.__code__
        if code in seen:
            continue
        seen.add(code)
        names = names_of(code)
        stored |= names.stored
        if counted_on:
            stored |= read_whole(code).filled
        for _, name in names.by_text:
            try:
                called = None
                if name.is_called:
                    called = callee_of(value_or_whole(name, reader.function, reader.instance)[1], name, reader)
            except LookupError:
                continue
            if called is not None:
                todo.append(called)
    return stored


def _called_in(value: Any, name: Name, reader: Called) -> Iterator[tuple[Name, Any, Called | None]]:
    """The items of a list of which each is called, with the user's own functions that these calls run."""
    for place, one in enumerate(items_of(value, _MAX_ITEMS)):
        item = name._replace(path=(*name.path, Item(place)), is_called=True)
        yield item, one, callee_of(one, item, reader)


def _add(found: dict[_Key, Found], name: Name, value: Any, reader: Called) -> _Key:
    key = (
        name.base == "super",
        name.is_length,
        name.name,
        name.path,
        id(reader.function.__globals__),
        id(reader.instance),
    )
    if key not in found and len(found) < _MAX_READS:
        found[key] = found_by(reader.function, reader.instance, name, value, _read_of(reader.route))
    return key


def _last(name: Name) -> str | Item:
    return name.path[-1] if name.path else name.name


def _end(text: str) -> str:
    return text.rpartition(".")[2]


def _last_name(name: Name) -> str:
    return next((part for part in reversed(name.path) if isinstance(part, str)), name.name)


def _holder(name: Name, reader: Called, is_told: Callable[[Any], bool]) -> tuple[Name, Any] | None:
    """The metric of `metric.update_state(…)`: what a method is called of, where that is a value to be told; itself."""
    if len(name.path) <= (name.base in OBJECTS) or isinstance(name.path[-1], Item):
        return None
    if name.base == "global" and isinstance(reader.function.__globals__.get(name.name), ModuleType):
        return None  # `tf.reduce_sum`, as most calls are
    holder = Name(name.base, name.name, name.path[:-1])
    try:
        value = value_of(holder, reader.function, reader.instance)
    except LookupError:
        return None
    return None if isinstance(value, type) or not is_told(value) else (holder, value)
