"""What the methods of objects do with numbers that a function hands them: of those that its own object holds, as in
`self.solver.integrate(y, t)`, those that it is passed, and those around it. Where such a one was passed to an
`__init__`, say, the code does not tell of which class it is (helpers.py), and the object does."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.helpers import MAX_DEPTH
from tb_retrace_plugin.capture.code.methods_of_arguments import OfAnArgument
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.python_uses import uses_with_held
from tb_retrace_plugin.capture.code.source_tree import leave_out
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class, static_attribute

#: Methods whose objects are known, of one function; and kinds of objects of which it is told what they do.
_MOST_METHODS, _MOST_KINDS = 32, 8
_CALLED = ("call", "__call__")
_BASES = frozenset({"self", "argument", "global", "closure"})
_Held: TypeAlias = dict[int, dict[str, FunctionType]]
_Call: TypeAlias = tuple[str, str, tuple[str, ...]]
_paths: ByCode[tuple[_Call, ...]] = ByCode()
#: By the function's code, and what it and each that it leads to calls by which name.
_known: ByCode[dict[tuple[tuple[str, int], ...], tuple[tuple[weakref.ref[CodeType], ...], list[str] | None]]] = ByCode()


def uses_of_held(function: Any, instance: Any, arguments: Mapping[str, Any], told: Collection[str]) -> list[str]:
    """As `python_uses` has them, without those that are `told`. `instance`: which it is a method of; `arguments`:
    objects that it is passed. Nothing is run."""
    code = getattr(function, "__code__", None)
    if type(code) is not CodeType:
        return []
    try:
        held = _methods_held(function, code, instance, arguments) if _calls(code) else {}
        if not held:
            return []
        codes = [(name, method.__code__) for methods in held.values() for name, method in methods.items()]
        known = _known.get(code)
        known = _known.put(code, {}) if known is None else known
        refs, found = known.get(key := tuple([(name, id(each)) for name, each in codes]), ((), None))
        if found is None or any(one() is not each for one, (_, each) in zip(refs, codes, strict=True)):
            if len(known) >= _MOST_KINDS:
                return []
            found = uses_with_held(code, function, held)
            known[key] = tuple([weakref.ref(each) for _, each in codes]), found
        return [use for use in found if use not in told]
    except Exception as error:  # a trace is recorded whatever its source is
        leave_out(uses_of_held.__name__, code, error)
        return []


def _calls(code: CodeType) -> tuple[_Call, ...]:
    """Of objects, what it calls by names alone."""
    found = _paths.get(code)
    if found is None:
        called: dict[_Call, None] = {}
        for _, name in names_of(code).by_text:
            path = tuple([part for part in name.path if isinstance(part, str)])
            if name.is_called and name.base in _BASES and path == name.path and (path or name.base == "argument"):
                # what is named otherwise is a plain function's first parameter
                first = code.co_varnames[0] if name.base == "self" else name.name
                called["argument" if name.base == "self" != first else name.base, first, path] = None
        found = _paths.put(code, tuple(called))
    return found


def _methods_held(function: Any, code: CodeType, instance: Any, arguments: Mapping[str, Any]) -> _Held:
    """By the ids of codes: what each calls by that name, of objects that are known.

    {} where the code tells of all of them: of its own methods, and those of what is around it.
    """
    found: _Held = {}
    is_told = True
    todo: list[tuple[Any, Any, Mapping[str, Any], int]] = [(function, instance, arguments, 0)]
    while todo and len(found) < _MOST_METHODS:
        function, instance, arguments, depth = todo.pop(0)
        code = function.__code__
        if id(code) in found:  # of two objects the first one's
            continue
        methods = found[id(code)] = {}
        for base, name, path in _calls(code):
            first = _first(base, name, function, instance, arguments)
            if first is None or type(first) is ModuleType:  # of whose functions the code tells
                continue
            for method, owner in _called(first, path):
                text = ".".join((name, *path))
                methods[OfAnArgument(text) if base == "argument" else text] = method
                is_told &= len(path) == 1 and base != "argument" and (base != "self" or owner is instance)
                if depth < MAX_DEPTH:
                    todo.append((method, owner, {}, depth + 1))
    return {} if is_told else found


def _first(base: str, name: str, function: Any, instance: Any, arguments: Mapping[str, Any]) -> Any:
    """The object that it is called on, or on something in."""
    if base == "self":
        return instance
    if base == "argument":
        return arguments.get(name)
    if base == "global":
        known = getattr(function, "__globals__", None)
        return known.get(name) if type(known) is dict else None
    return around(function, function.__code__).get(name)


def _called(instance: Any, path: tuple[str, ...]) -> Iterator[tuple[FunctionType, Any]]:
    """The user's function that a call of it runs, and the object that it is a method of, if any."""
    owner = value = instance
    for name in path:
        owner, value = value, MISSING if value is MISSING else static_attribute(value, name)
    function: Any = tf_seam.plain_function(value.__func__ if type(value) is staticmethod else value)
    if type(function) is FunctionType and path and in_class(type(owner), path[-1]) is MISSING:
        owner = None  # a function that it holds
    if type(function) is MethodType:
        owner, function = function.__self__, function.__func__
    if type(function) is not FunctionType and value is not MISSING:
        calls = (in_class(type(value), name) for name in _CALLED)
        function, owner = next((tf_seam.plain_function(one) for one in calls if one is not MISSING), None), value
    if type(function) is FunctionType and is_user_file(function.__code__.co_filename):
        yield function, owner
