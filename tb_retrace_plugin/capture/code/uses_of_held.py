"""What the methods of objects do with numbers that a function hands them: of those that its own object holds, as in
`self.solver.integrate(y, t)` and `for layer in self.layers: x = layer(x, t)`, those that it is passed, and those around
it. Where such a one was passed to an `__init__`, say, the code does not tell of which class it is (helpers.py), and the
object does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.by_code import ByCalled
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.called_names import ALSO
from tb_retrace_plugin.capture.code.helpers import MAX_DEPTH
from tb_retrace_plugin.capture.code.objects_called import Called, objects_called
from tb_retrace_plugin.capture.code.python_uses import uses_with_held
from tb_retrace_plugin.capture.code.source_tree import leave_out
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

#: Methods whose objects are known, of one function; and kinds of objects of which it is told what they do.
_MOST_METHODS, _MOST_KINDS = 32, 8
#: That one name may lead to.
_MOST_FUNCTIONS = 6
_CALLED = ("call", "__call__")
_Held: TypeAlias = dict[int, dict[str, FunctionType]]
_known = ByCalled(_MOST_KINDS)


def uses_of_held(function: Any, instance: Any, arguments: Mapping[str, Any], told: Collection[str]) -> list[str]:
    """As `python_uses` has them, without those that are `told`. `instance`: which it is a method of; `arguments`:
    objects that it is passed. Nothing is run."""
    code = getattr(function, "__code__", None)
    if type(code) is not CodeType:
        return []
    try:
        held = _methods_held(function, code, instance, arguments) if objects_called(code) else {}
        if not held:
            return []
        codes = [(name, method.__code__) for methods in held.values() for name, method in methods.items()]
        found = _known.of(code, codes, lambda: uses_with_held(code, function, held))
        return [use for use in found if use not in told]
    except Exception as error:  # a trace is recorded whatever its source is
        leave_out(uses_of_held.__name__, code, error)
        return []


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
        for one in objects_called(code):
            holder = one.holder(function, instance, arguments)
            if holder is None or type(holder) is ModuleType:  # of whose functions the code tells
                continue
            is_known = len(one.path) == 1 and isinstance(one.path[0], str) and one.base != "argument"
            for method, owner in _run_by(one, holder):
                _put(methods, one.text, method)
                is_told &= is_known and (one.base != "self" or owner is instance)
                if depth < MAX_DEPTH:
                    todo.append((method, owner, {}, depth + 1))
    return {} if is_told else found


def _put(methods: dict[str, FunctionType], text: str, method: FunctionType) -> None:
    """Of several items each of other code."""
    known = [one for key, one in methods.items() if key.partition(ALSO)[0] == text]
    if len(known) < _MOST_FUNCTIONS and all(one.__code__ is not method.__code__ for one in known):
        methods[type(text)(f"{text}{ALSO}{len(known)}" if known else text)] = method


def _run_by(called: Called, holder: Any) -> Iterator[tuple[FunctionType, Any]]:
    """The user's functions that a call of it runs, and the object that each is a method of, if any."""
    for value, owner, name in called.found_in(holder):
        function: Any = tf_seam.plain_function(value.__func__ if type(value) is staticmethod else value)
        if type(function) is FunctionType and name and in_class(type(owner), name) is MISSING:
            owner = None  # a function that it holds
        if type(function) is MethodType:
            owner, function = function.__self__, function.__func__
        if type(function) is not FunctionType:
            calls = (in_class(type(value), each) for each in _CALLED)
            function, owner = next((tf_seam.plain_function(one) for one in calls if one is not MISSING), None), value
        if type(function) is FunctionType and is_user_file(function.__code__.co_filename):
            yield function, owner
