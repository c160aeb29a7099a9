"""Which of Python's own values a function's code reads from outside: globals, closures, attributes. Nothing is run."""

from __future__ import annotations

import collections
import inspect
import sys
import weakref
from collections.abc import Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.call_site import is_user_file
from tb_retrace_plugin.capture.inner_functions import codes_that_run, runs_what_it_passes_on
from tb_retrace_plugin.capture.instructions import instructions
from tb_retrace_plugin.capture.only_said import only_said
from tb_retrace_plugin.capture.plain_values import is_plain

#: A helper function's helper's helper… is followed so far, and so many functions in all.
_MAX_DEPTH = 3
_MAX_FUNCTIONS = 50
_MAX_READS = 200
_MAX_ATTRIBUTES = 3


#: Bases whose own value is no plain one.
_OBJECTS = ("self", "argument")
#: Instructions that give a parameter another value.
_STORES = frozenset({"STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF"})


class Item(NamedTuple):
    """`["rate"]` or `[0]`: of a dictionary, a list or a tuple, by a key that is written out."""

    key: str | int


class Name(NamedTuple):
    """What code loads. `base`: "global", "closure", "self" (a method's first argument) or "argument" (an object that is
    passed as one, of its own parameter's name); `path`: what follows it.

    `is_called`: it is loaded to be called there and then. What is only passed on may run at each execution of the graph
    (`tf.py_function`), where it reads the values of then. Python 3.10 does not tell, but for methods.
    """

    base: str
    name: str
    path: tuple[str | Item, ...]
    is_called: bool = False

    @property
    def text(self) -> str:
        return self.name + "".join([f"[{p.key!r}]" if isinstance(p, Item) else f".{p}" for p in self.path])

    @property
    def kind(self) -> str:
        is_attribute = self.base in _OBJECTS or any(not isinstance(part, Item) for part in self.path)
        return "attribute" if self.path and is_attribute else self.base


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


class _Names(NamedTuple):
    """`counted`: last names of what the code assigns, and reads besides.

    `passed_on_runs`: whether functions that it passes to others run when it does. `reassigned`: its parameters that it
    gives other values.
    """

    loaded: tuple[Name, ...]
    stored: frozenset[str | Item]
    counted: frozenset[str]
    passed_on_runs: bool
    reassigned: frozenset[str]


_names: weakref.WeakKeyDictionary[CodeType, _Names] = weakref.WeakKeyDictionary()
_inner_names: weakref.WeakKeyDictionary[CodeType, tuple[Name, ...]] = weakref.WeakKeyDictionary()


class Called(NamedTuple):
    """A function that runs, what it is bound to, and what the code that calls it calls that ("": as it does itself)."""

    function: Any  # a FunctionType, which mypy would take for a method here
    instance: Any = None
    text: str = ""


def reads_of(
    function: FunctionType, instance: Any = None, text: str = "", arguments: Mapping[str, Any] | None = None
) -> list[Read]:
    """What `function` and the user's own functions that it calls read, without what any of them assigns itself.

    `text`: what the instance is called, in place of the name of the first parameter. `arguments`: objects that it is
    passed, by its parameters; what functions that it calls read of those is not found.
    """
    found, stored, _ = _all_reads(function, instance, text, arguments or {})
    return [read for read in found if (read.name.path or (read.name.name,))[-1] not in stored]


def reads_and_counts(
    function: FunctionType, instance: Any = None, arguments: Mapping[str, Any] | None = None
) -> tuple[list[Read], list[Read]]:
    """As `reads_of`; and of what they assign, what they read besides."""
    found, stored, counted = _all_reads(function, instance, "", arguments or {})
    last = [(read, (read.name.path or (read.name.name,))[-1]) for read in found]
    return [read for read, name in last if name not in stored], [read for read, name in last if name in counted]


def _all_reads(
    function: FunctionType, instance: Any, text: str, arguments: Mapping[str, Any]
) -> tuple[list[Read], set[str | Item], set[str]]:
    if not _names_of(function.__code__).loaded:
        return [], set(), set()
    counted: set[str] = set()
    found: dict[tuple[str, int, int], Read] = {}
    stored: set[str | Item] = set()
    seen: set[tuple[CodeType, int]] = set()
    todo: list[tuple[Called, int]] = [(Called(function, instance, text), 0)]
    while todo and len(seen) < _MAX_FUNCTIONS:
        reads_it, depth = todo.pop()
        code = reads_it.function.__code__
        if (code, id(reads_it.instance)) in seen:
            continue
        seen.add((code, id(reads_it.instance)))
        names = _names_of(code)
        stored |= names.stored
        counted |= names.counted
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
            if depth < _MAX_DEPTH and runs and (called := _called(value, name, reader)) is not None:
                todo.append((called, depth + 1))
            elif len(found) < _MAX_READS:
                read = Read(name, weakref.ref(reader.function), _reference(reader.instance))
                found.setdefault((name.text, id(reader.function.__globals__), id(reader.instance)), read)
    return list(found.values()), stored, counted


def _found(name: Name, reader: Called) -> tuple[Name, Any]:
    """The name and its value now; of what holds no items as a dictionary does, an array or a tensor, itself."""
    try:
        return name, _resolve(name, reader.function, reader.instance)
    except LookupError:
        places = (place for place, part in enumerate(name.path) if isinstance(part, Item))
        first = next(places, None)
        if first is None or (first == 0 and name.base in _OBJECTS):
            raise
        whole = name._replace(path=name.path[:first], is_called=False)
        return whole, _resolve(whole, reader.function, reader.instance)


def _called(value: Any, name: Name, reader: Called) -> Called | None:
    """The user's own function that a call of `value` runs, or a property; a tf.function has traces of its own."""
    function = getattr(value, "__func__", None) if isinstance(value, (MethodType, staticmethod, classmethod)) else value
    if isinstance(value, property):
        function = value.fget
    if isinstance(function, FunctionType):
        if not is_users(function):
            return None
        if isinstance(value, MethodType):
            return Called(function, value.__self__)
        if isinstance(value, staticmethod) or not name.path:
            return Called(function)
        holder = _resolve(name._replace(path=name.path[:-1]), reader.function, reader.instance)
        if isinstance(value, classmethod):
            kind = holder if isinstance(holder, type) else type(holder)
            return Called(function, kind, kind.__name__)
        last = name.path[-1]
        if isinstance(last, Item) or inspect.getattr_static(type(holder), last, None) is not value:
            # of a module, a class or an object that holds it: it is not bound, and a property there does not run
            return None if isinstance(value, property) else Called(function)
        return Called(function, holder, name._replace(path=name.path[:-1]).text)
    written = None if isinstance(value, type) else written_by_the_user(type(value))
    return None if written is None else Called(written, value, name.text)


def written_by_the_user(kind: type) -> FunctionType | None:
    """What a call of such an object runs of the user's own: its `__call__`, or the `call` of a Keras layer or model."""
    for attribute in ("__call__", "call"):
        method = inspect.getattr_static(kind, attribute, None)
        if isinstance(method, FunctionType) and is_users(method):
            return method
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
    for part in name.path:
        if isinstance(part, Item):
            value = _item(value, part.key)
            continue
        if type(value) is ModuleType and part in value.__dict__:  # `tf.reduce_sum`: the same in a fraction of the time
            value = value.__dict__[part]
            continue
        try:
            value = inspect.getattr_static(value, part)
        except AttributeError as error:
            raise LookupError from error
    return value


def _item(value: Any, key: str | int) -> Any:
    """Without running a `__getitem__` or a `__missing__` of the user's. Raises LookupError."""
    kind = type(value)
    if kind.__module__.startswith("tensorflow.") and kind.__name__ == "_DictWrapper":  # of a tf.Module's attribute
        value = value.__wrapped__
        kind = type(value)
    getter = _GETTERS.get(kind) or inspect.getattr_static(kind, "__getitem__", None)
    if getter is dict.__getitem__:
        found = dict.get(value, key, _MISSING)
    elif getter in (list.__getitem__, tuple.__getitem__) and isinstance(key, int):
        found = value[key]
    else:
        found = _MISSING
    if found is _MISSING:
        raise LookupError
    return found


_MISSING = object()
_GETTERS: dict[type, Any] = {dict: dict.__getitem__, list: list.__getitem__, tuple: tuple.__getitem__}


def _reference(instance: Any) -> weakref.ReferenceType[Any] | None:
    try:
        return None if instance is None else weakref.ref(instance)
    except TypeError:
        return None


def _names_of(code: CodeType) -> _Names:
    names = _names.get(code)
    if names is None:
        loaded: dict[Name, None] = {}
        stored: set[str | Item] = set()
        first = code.co_varnames[0] if code.co_argcount else ""
        parameters = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        reads: collections.Counter[str] = collections.Counter()
        for part in codes_that_run(code):
            _scan(part, first, loaded, stored, reads, is_inner=part is not code, parameters=parameters)
        free = set(code.co_freevars)  # a nested function's other free variables are this one's own
        known = tuple(n for n in loaded if n.base != "closure" or n.name in free)
        counted = frozenset(name for name, count in reads.items() if count > 0 and name in stored)
        reassigned = frozenset(i.argval for i in instructions(code) if i.argval in parameters and i.opname in _STORES)
        names = _Names(known, frozenset(stored), counted, runs_what_it_passes_on(code), reassigned)
        _names[code] = names
    return names


def items_read(function: FunctionType, name: str) -> list[tuple[str, Any]]:
    """Of a dictionary that the function closes over: the plain values that it reads of it, by keys written out.

    [] if anything else is done with the dictionary.
    """
    names = _inner_names.get(function.__code__)
    if names is None:
        names = _inner_names[function.__code__] = names_with_inner_functions(function.__code__)
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


def names_with_inner_functions(code: CodeType) -> tuple[Name, ...]:
    """What the code and the functions made in it load from outside of it, whatever they assign."""
    loaded: dict[Name, None] = {}
    todo = [code]
    while todo:
        part = todo.pop()
        first = code.co_varnames[0] if code.co_argcount else ""
        _scan(part, first, loaded, set(), collections.Counter(), is_inner=part is not code)
        todo += [constant for constant in part.co_consts if isinstance(constant, CodeType)]
    free = set(code.co_freevars)
    return tuple(name for name in loaded if name.base != "closure" or name.name in free)


class _Aliases:
    """Local variables that are given something from outside once, and nothing else: `cfg = self.cfg`.

    `known`: by name, what has been met so far: its base, and the path that follows.
    """

    def __init__(self, code: CodeType) -> None:
        self.known: dict[str, tuple[tuple[str, str], tuple[str | Item, ...]]] = {}
        flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + flags]
        stored = collections.Counter(i.argval for i in instructions(code) if i.opname in ("STORE_FAST", "DELETE_FAST"))
        self._once = {name for name, count in stored.items() if count == 1}.difference(parameters)

    def give(
        self, instruction: Any, base: tuple[str, str] | None, path: tuple[str | Item, ...], *, is_called: bool
    ) -> None:
        """What was just loaded is stored: not where it may have come another way, as of `a if flag else b`."""
        if base is None or is_called or instruction.opname != "STORE_FAST":
            return
        if instruction.argval in self._once and not instruction.is_jump_target:
            self.known[instruction.argval] = base, path


def _scan(
    code: CodeType, first: str, loaded: dict[Name, None], stored: set[str | Item], reads: collections.Counter[str],
    *, is_inner: bool, parameters: frozenset[str] = frozenset(),
) -> None:  # fmt: skip
    """`first`: the first parameter of the function; in one that is made in it, a free variable. `parameters`: all.

    `reads`: of last names, without what `calls += 1` reads of itself; of an attribute it loads none by its name.
    """
    cells = code.co_freevars if is_inner else code.co_cellvars
    said = only_said(code)
    is_said = False
    base: tuple[str, str] | None = None
    path: tuple[str | Item, ...] = ()
    is_called = null_pushed = False
    key: str | int | None = None  # a constant that was just loaded: what follows tells whether it is one
    aliases = _Aliases(code)
    own_path = -1  # as long as the path that a local variable stands for: what it was given was read there

    def finish() -> None:
        is_read_there = len(path) <= own_path and not is_called
        if base is not None and (path or base[0] not in _OBJECTS or is_called) and not is_said and not is_read_there:
            loaded.setdefault(Name(*base, path, is_called))
            last = path[-1] if path else base[1]
            if not isinstance(last, Item):
                reads[last] += 1

    for instruction in instructions(code):
        name, operation = instruction.argval, instruction.opname
        if key is not None and operation != "CACHE":
            item, key = Item(key), None
            if base is not None and operation == "BINARY_SUBSCR":
                path = (*path, item)
                continue
            if operation in ("STORE_SUBSCR", "COPY", "DUP_TOP_TWO"):  # `c["n"] = …` and `c["n"] += …`
                stored.add(item)
            finish()
            if base is not None and path[-1:] == ("get",) and is_called:  # `c.get("rate")`, with or without a default
                path, is_called = (*path[:-1], item), False
                finish()
            base, path, is_called = None, (), False
        if operation == "LOAD_CONST" and type(name) in (str, int) and len(path) < _MAX_ATTRIBUTES:
            key = name
            if base is not None:
                continue
        if base is not None and operation in ("LOAD_ATTR", "LOAD_METHOD") and len(path) < _MAX_ATTRIBUTES:
            path = (*path, str(name))
            is_called = operation == "LOAD_METHOD" or "NULL" in instruction.argrepr
            continue
        if operation in ("CACHE", "PRECALL", "NOP"):
            continue
        if operation == "PUSH_NULL":
            if sys.version_info >= (3, 13):  # it follows what is called
                is_called = is_called or base is not None
            else:  # it goes before
                finish()
                base, path, null_pushed = None, (), True
            continue
        finish()
        aliases.give(instruction, base, path, is_called=is_called)
        base, path, is_called, own_path = None, (), False, -1
        if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
            base = ("global", str(name))
            is_called = null_pushed or "NULL" in instruction.argrepr
        elif operation in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
            base = ("self", first) if name == first and first in cells else ("closure", str(name))
            if name != first and name in parameters and name in cells:
                base = ("argument", str(name))
            is_called = null_pushed
        elif operation.startswith("LOAD_FAST") and first and not is_inner and name == first:
            base = ("self", first)
            is_called = null_pushed
        elif operation.startswith("LOAD_FAST") and not is_inner and name in parameters:
            base = ("argument", str(name))
            is_called = null_pushed
        elif operation.startswith("LOAD_FAST") and name in aliases.known:
            base, path = aliases.known[name]
            own_path = len(path)
            is_called = null_pushed
        elif operation in ("STORE_GLOBAL", "STORE_NAME", "STORE_DEREF", "STORE_ATTR", "DELETE_ATTR", "DELETE_GLOBAL"):
            stored.add(str(name))
            reads[str(name)] -= operation != "STORE_ATTR"
        if base is not None and said:
            places = getattr(instruction, "positions", None)  # from Python 3.11 on
            is_said = places is not None and (places.lineno, places.col_offset) in said
        null_pushed = False
    finish()
