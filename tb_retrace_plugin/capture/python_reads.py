"""Which of Python's own values a function's code reads from outside: globals, closures, attributes. Nothing is run."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.by_code import ByCode
from tb_retrace_plugin.capture.call_site import is_user_file
from tb_retrace_plugin.capture.code_names import OBJECTS, Item, Name, names_of, names_with_inner_functions
from tb_retrace_plugin.capture.contents import code_of_function
from tb_retrace_plugin.capture.plain_values import is_plain
from tb_retrace_plugin.capture.read_whole import read_whole
from tb_retrace_plugin.capture.static_attribute import MISSING, in_class, static_attribute
from tb_retrace_plugin.capture.unreached import (
    NO_TESTS,
    Tests,
    parameter_in,
    parameters_of,
    passed_to,
    passes,
    tests_of,
    unreached,
)

#: A helper function's helper's helper… is followed so far, and so many functions in all.
_MAX_DEPTH = 3
_MAX_FUNCTIONS = 50
_MAX_READS = 200
#: By which a step asks a model of Keras' what to train.
TRAINED = ("trainable_variables", "trainable_weights")
_TRAINABLE = "trainable"
#: What Keras passes the layers of a model.
_TRAINING = "training"
#: Told of where they are read whole.
_CONTAINERS = (list, tuple, dict, set, frozenset, np.ndarray)


class Read(NamedTuple):
    """A name in the function (or helper function) that reads it. Neither function nor instance is kept alive.

    `instance`: of an argument's attribute, that argument.
    """

    name: Name
    function: weakref.ReferenceType[FunctionType]
    instance: weakref.ReferenceType[Any] | None

    def value(self) -> Any:
        """The value now. Raises LookupError if it, or its reader, is gone."""
        return self._now(self.name)

    def holder(self) -> Any:
        """Of the attribute that it is; None of what is none. Raises LookupError."""
        return self._now(self.name._replace(path=self.name.path[:-1])) if self.name.path else None

    def _now(self, name: Name) -> Any:
        function = self.function()
        if function is None:
            raise LookupError
        return _resolve(name, function, self.instance() if self.instance is not None else None)


_inner_names: ByCode[tuple[Name, ...]] = ByCode()


class Called(NamedTuple):
    """A function that runs, what it is bound to, and what the code that calls it calls that ("": as it does itself).

    `passed`: plain values by what its code asks of its parameters, as far as they are known.
    """

    function: Any  # a FunctionType, which mypy would take for a method here
    instance: Any = None
    text: str = ""
    passed: Mapping[str, Any] = {}


class Found(NamedTuple):
    """`value`: when it was found; it is kept no longer than this is."""

    read: Read
    value: Any


#: Plain values by what is asked of parameters: `training`, `x.shape.rank`.
Passed = Callable[[Collection[str]], Mapping[str, Any]]
#: Of a read: whether of `super()`, its name and path, by which globals, and of which instance.
_Key = tuple[bool, str, tuple[str | Item, ...], int, int]


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
    if not names_of(function.__code__).loaded:
        return [], set(), set()
    looks_at_all = is_told is not _nothing
    counted: set[str] = set()
    found: dict[_Key, Found] = {}
    containers: list[_Key] = []
    stored: set[str | Item] = set()
    relied_on: set[str] = set()
    left_out: list[Called] = []
    seen: dict[tuple[int, int, tuple[Any, ...]], CodeType] = {}
    todo: list[tuple[Called, int]] = [(Called(function, instance, text), 0)]
    while todo and len(seen) < _MAX_FUNCTIONS:
        reads_it, depth = todo.pop()
        code = reads_it.function.__code__
        given = [(one, v if is_plain(v) else id(v)) for one, v in reads_it.passed.items()] if reads_it.passed else []
        key_of_call = id(code), id(reads_it.instance), tuple(given)
        if key_of_call in seen:
            continue
        seen[key_of_call] = code
        names = names_of(code)
        stored |= names.stored
        counted |= names.counted
        reached: list[tuple[Name, Name, Any, Called, Called | None]] = []
        for loaded in names.loaded:
            reader = reads_it
            name = loaded._replace(name=reader.text) if loaded.base == "self" and reader.text else loaded
            if name.base == "self" and reader.instance is None:
                name = name._replace(base="argument")
            if name.base == "argument":
                if depth or name.name not in arguments or name.name in names.reassigned:
                    continue
                reader = reader._replace(instance=arguments[name.name])
            try:
                name, value = _found(name, reader)
            except LookupError:
                continue
            runs = name.is_called or names.passed_on_runs or isinstance(value, property)
            reached.append((loaded, name, value, reader, _called(value, name, reader) if runs else None))
        behind: Collection[str] = ()
        tests = tests_of(code, names.loaded) if looks_at_all else NO_TESTS
        if tests is not NO_TESTS:
            asked = {tests.asked[id(one)]: value for one, _, value, *_ in reached if id(one) in tests.asked}
            is_asked_for = tests.branches or any(one[-1] is not None and one[0].text in tests.calls for one in reached)
            if not depth and is_asked_for and tests.of_parameters:
                objects = {one: arguments[one] for one in tests.of_parameters if one in arguments}
                more = passed(tests.of_parameters) if passed is not None else {}
                reads_it = reads_it._replace(passed={**objects, **more})
            known = {text: value for text, value in asked.items() if _end(text) not in changing}
            if reads_it.passed:
                hidden = names.reassigned
                known |= {one: v for one, v in reads_it.passed.items() if parameter_in(one) not in hidden}
            behind = unreached(tests, known)
            if behind:
                relied_on.update(map(_end, known))
        for loaded, name, value, reader, called in reached:
            if behind and loaded.text in behind:
                if name.is_called and called is not None:
                    left_out.append(called)
                continue
            if trained is not None and name.path and name.path[-1] in TRAINED:
                trained.append(_resolve(name._replace(path=name.path[:-1]), reader.function, reader.instance))
            if looks_at_all and name.is_called and (holder := _holder(name, reader, is_told)) is not None:
                _add(found, *holder, reader)
            if depth < _MAX_DEPTH and called is not None:
                if loaded.text in tests.calls and _is_passed_as_written(value, called):
                    called = _with_what_is_passed(called, tests, loaded.text, known, reads_it)
                todo.append((called, depth + 1))
                if looks_at_all and called.function is value:  # it may be another one later
                    _add(found, name, code_of_function(value), reader)
                if not is_told(value):
                    continue
            is_container = looks_at_all and isinstance(value, _CONTAINERS)
            if is_container and (len(name.path) < len(loaded.path) or loaded.text not in read_whole(code).read):
                continue  # of an item the others say nothing
            key = _add(found, name, value, reader)
            if is_container:
                containers.append(key)
    if relied_on and (assigned := relied_on & (stored | _assigned_by(left_out))):
        return _all_reads(function, instance, text, arguments, is_told, passed, trained, changing | assigned)
    filled = {name for code in seen.values() for name in read_whole(code).filled} if containers else set()
    for key in containers:  # that the code may change itself
        if key in found and _last_name(found[key].read.name) in filled:
            del found[key]
    if trained and _TRAINABLE in stored:  # which the code sets itself, for a part of it
        trained.clear()
    return list(found.values()), stored, counted


def _is_passed_as_written(value: Any, called: Called) -> bool:
    """Whether what a call of `value` is passed goes to `called` as it is: a partial adds to it, and others may."""
    bound = isinstance(value, (MethodType, staticmethod, classmethod))
    return called.function is (value.__func__ if bound else value) or called.instance is value


def _with_what_is_passed(called: Called, tests: Tests, text: str, known: Mapping[str, Any], caller: Called) -> Called:
    """`known`: what the code that calls it knows of. Keras' layers are passed `training` by those around them."""
    function = called.function
    code = function.__code__
    if called.passed or not tests_of(code, names_of(code).loaded).of_parameters:
        return called
    parameters = parameters_of(code)[: code.co_argcount]
    if called.instance is not None:
        parameters = parameters[1:]
    defaults = dict(zip(parameters[::-1], (function.__defaults__ or ())[::-1], strict=False))
    defaults.update(function.__kwdefaults__ or {})
    is_layer = function.__name__ == "call"
    if is_layer:
        defaults.pop(_TRAINING, None)
    passed = passed_to(tests, text, known, parameters, defaults)
    if is_layer and passed.get(_TRAINING) is None:
        passed.pop(_TRAINING, None)
        place = parameters.index(_TRAINING) if _TRAINING in parameters else -1
        if caller.function.__name__ == "call" and not passes(tests, text, _TRAINING, place):
            passed.update({name: value for name, value in caller.passed.items() if name == _TRAINING})
    return called._replace(passed=passed)


def _assigned_by(functions: Iterable[Called]) -> set[str | Item]:
    """Last names of what these assign, and what they call, as far as it can be told."""
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
        for name in names.loaded:
            try:
                called = _called(_found(name, reader)[1], name, reader) if name.is_called else None
            except LookupError:
                continue
            if called is not None:
                todo.append(called)
    return stored


def _add(found: dict[_Key, Found], name: Name, value: Any, reader: Called) -> _Key:
    key = name.base == "super", name.name, name.path, id(reader.function.__globals__), id(reader.instance)
    if key not in found and len(found) < _MAX_READS:
        found[key] = Found(Read(name, weakref.ref(reader.function), _reference(reader.instance)), value)
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
    holder = name._replace(path=name.path[:-1], is_called=False)
    try:
        value = _resolve(holder, reader.function, reader.instance)
    except LookupError:
        return None
    return None if isinstance(value, type) or not is_told(value) else (holder, value)


def _found(name: Name, reader: Called) -> tuple[Name, Any]:
    """The name and its value now; of what holds no items as a dictionary does, an array or a tensor, itself."""
    try:
        return name, _resolve(name, reader.function, reader.instance)
    except LookupError:
        places = (place for place, part in enumerate(name.path) if isinstance(part, Item))
        first = next(places, None)
        if first is None or (first == 0 and name.base in OBJECTS):
            raise
        whole = name._replace(path=name.path[:first], is_called=False)
        return whole, _resolve(whole, reader.function, reader.instance)


def _called(value: Any, name: Name, reader: Called) -> Called | None:
    """The user's own function that a call of `value` runs, or a property; a tf.function has traces of its own."""
    function = getattr(value, "__func__", None) if isinstance(value, (MethodType, staticmethod, classmethod)) else value
    if isinstance(value, property):
        function = value.fget
    if type(function) is functools.partial:
        return _called_by(function, name, reader)
    if type(function).__name__ == "Bind" and type(function).__module__.startswith("tensorflow."):
        function = vars(function).get("__wrapped__")  # of `tf.custom_gradient`
    if isinstance(function, FunctionType):
        if (function := _users_own(function)) is None:
            return None
        if isinstance(value, MethodType):
            return Called(function, value.__self__)
        if isinstance(value, staticmethod) or not name.path:
            return Called(function)
        if name.base == "super" and len(name.path) == 1 and not isinstance(value, classmethod):
            return Called(function, reader.instance, reader.text)
        holder = _resolve(name._replace(path=name.path[:-1]), reader.function, reader.instance)
        if isinstance(value, classmethod):
            kind = holder if isinstance(holder, type) else type(holder)
            return Called(function, kind, kind.__name__)
        last = name.path[-1]
        if isinstance(last, Item) or in_class(type(holder), last) is not value:
            # of a module, a class or an object that holds it: it is not bound, and a property there does not run
            return None if isinstance(value, property) else Called(function)
        return Called(function, holder, name._replace(path=name.path[:-1]).text)
    written = None if isinstance(value, type) else written_by_the_user(type(value))
    return None if written is None else Called(written, value, name.text)


def _called_by(partial: functools.partial[Any], name: Name, reader: Called) -> Called | None:
    """Of a function that it binds no object to, the first of what it does bind is what a method has as `self`."""
    if type(partial.func) is functools.partial:  # functools makes one of two
        return None
    called = _called(partial.func, name._replace(path=()), reader)
    if called is None or called.instance is not None or not partial.args:
        return called
    return called._replace(instance=partial.args[0])


def written_by_the_user(kind: type) -> FunctionType | None:
    """What a call of such an object runs of the user's own: its `__call__`, or the `call` of a Keras layer or model."""
    for attribute in ("__call__", "call"):
        method = in_class(kind, attribute)
        if isinstance(method, FunctionType) and is_users(method):
            return method
    return None


def _users_own(function: FunctionType) -> FunctionType | None:
    """The function; what it was made of, where a library's decorator (`tf.custom_gradient`) has put one around it."""
    for _ in range(_MAX_DEPTH):
        if is_users(function):
            return function
        inner = vars(function).get("__wrapped__")
        if not isinstance(inner, FunctionType):
            return None
        function = inner
    return None


def is_users(function: FunctionType) -> bool:
    return is_user_file(function.__code__.co_filename)


def _resolve(name: Name, function: FunctionType, instance: Any) -> Any:
    """Without running a property or a `__getattr__` of the user's. Raises LookupError."""
    if name.base == "global":
        value = function.__globals__[name.name]
    elif name.base == "closure":
        try:
            value = (function.__closure__ or ())[function.__code__.co_freevars.index(name.name)].cell_contents
        except ValueError as error:
            raise LookupError from error
    elif instance is None:
        raise LookupError
    else:
        value = instance
    path = name.path
    if name.base == "super" and path:
        value, path = _of_a_class_above(instance, function, path[0]), path[1:]
    for part in path:
        if isinstance(part, Item):
            value = _item(value, part.key)
            continue
        if type(value) is ModuleType and part in value.__dict__:  # `tf.reduce_sum`: the same in a fraction of the time
            value = value.__dict__[part]
            continue
        value = _attribute(value, part)
    return value


def _of_a_class_above(instance: Any, function: FunctionType, part: str | Item) -> Any:
    """What `super()` finds in a method. Raises LookupError."""
    above = _resolve(_OWN_CLASS, function, None)
    classes = (instance if isinstance(instance, type) else type(instance)).__mro__
    place = next((place for place, kind in enumerate(classes) if kind is above), len(classes))
    for kind in classes[place + 1 :]:
        if isinstance(part, str) and part in vars(kind):
            return vars(kind)[part]
    raise LookupError


def _attribute(holder: Any, name: str) -> Any:
    """As it lies there; of a field of a named tuple or of `__slots__` its value. Raises LookupError."""
    value = static_attribute(holder, name)
    if value is MISSING:
        raise LookupError
    if isinstance(value, _FIELDS) and not isinstance(holder, type):
        try:
            return value.__get__(holder, type(holder))  # CPython's own: none of the user's code runs
        except (AttributeError, TypeError) as error:
            raise LookupError from error
    return value


def _item(value: Any, key: str | int) -> Any:
    """Without running a `__getitem__` or a `__missing__` of the user's. Raises LookupError."""
    kind = type(value)
    if kind.__module__.startswith("tensorflow.") and kind.__name__ in _WRAPPERS:
        value = getattr(value, _WRAPPERS[kind.__name__])
        kind = type(value)
    getter = _GETTERS.get(kind) or in_class(kind, "__getitem__")
    if getter is dict.__getitem__:
        found = dict.get(value, key, MISSING)
    elif getter in (list.__getitem__, tuple.__getitem__) and isinstance(key, int):
        found = value[key]
    else:
        found = MISSING
    if found is MISSING:
        raise LookupError
    return found


_OWN_CLASS = Name("closure", "__class__", ())
#: What a tf.Module makes of dictionaries and lists that are its attributes -> where the user's own lies.
_WRAPPERS = {"_DictWrapper": "__wrapped__", "ListWrapper": "_storage"}
#: Descriptors written in C that hold a field: `collections.namedtuple`, `typing.NamedTuple`; `__slots__`.
_FIELDS = (type(NamedTuple("_Any", [("field", int)]).field), MemberDescriptorType)  # type: ignore[attr-defined]
_GETTERS: dict[type, Any] = {dict: dict.__getitem__, list: list.__getitem__, tuple: tuple.__getitem__}


def _reference(instance: Any) -> weakref.ReferenceType[Any] | None:
    try:
        return None if instance is None else weakref.ref(instance)
    except TypeError:
        return None


def items_read(function: FunctionType, name: str) -> list[tuple[str, Any]]:
    """Of a dictionary that the function closes over: the plain values that it reads of it, by keys written out.

    [] if anything else is done with the dictionary.
    """
    names = _inner_names.get(function.__code__)
    if names is None:
        names = _inner_names.put(function.__code__, names_with_inner_functions(function.__code__))
    found = []
    for one in names:
        if (one.base, one.name) != ("closure", name):
            continue
        try:
            value = _resolve(one, function, None)
        except LookupError:
            return []
        if len(one.path) != 1 or not isinstance(one.path[0], Item) or not is_plain(value):
            return []
        found.append((one.text, value))
    return found
