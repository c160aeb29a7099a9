"""Which function a trace is of: worked out once for each, as most of them are traced again and again."""

from __future__ import annotations

import inspect
import weakref
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.function_place import function_of, key_of
from tb_retrace_plugin.capture.watch.as_passed import as_it_is_passed, made_by_a_dataset
from tb_retrace_plugin.schema import retrace_pb2 as pb

_Key = tuple[str, int, str, str]
#: Code that has both `*args` and `**kwargs`.
_TAKES_ANYTHING = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class _Known(NamedTuple):
    outer: weakref.ReferenceType[Any]
    python: weakref.ReferenceType[Any]
    code: CodeType  # until it is given another, as by IPython's autoreload
    function: pb.Function
    key: _Key


#: Weak: what is in a decorator may hold the decorator.
_known: weakref.WeakKeyDictionary[FunctionType, _Known] = weakref.WeakKeyDictionary()


def traced_function(tracing_options: Any) -> tuple[tf_seam.TracedFunction, pb.Function, _Key]:
    """The function behind these options, its record, which is not the caller's to change, and what tells its code."""
    passed = tracing_options.python_function
    is_function = type(passed) is FunctionType
    if is_function and (known := _known.get(passed)) is not None:
        outer, python = known.outer(), known.python()
        if outer is not None and python is not None and python.__code__ is known.code:
            return tf_seam.TracedFunction(outer, python, None, ()), known.function, known.key
    traced = tf_seam.unwrapped(passed)
    if (inner := _handed_on_to(traced.python)) is not None:
        traced = traced._replace(python=inner)
    function = as_it_is_passed(traced, function_of(traced.python))
    if traced.structured is not None and tf_seam.wrapped_function(tracing_options) is not None:
        function = made_by_a_dataset(function)
    key = key_of(function)
    is_plain = traced.structured is None and not (traced.partials or traced.is_bound)
    if is_function and is_plain and type(traced.outer) is type(traced.python) is FunctionType:
        refs = weakref.ref(traced.outer), weakref.ref(traced.python)
        _known[passed] = _Known(*refs, traced.python.__code__, function, key)
    return traced, function, key


def _handed_on_to(function: Any) -> FunctionType | None:
    """The user's method that a library's decorator calls with whatever it is passed, where that does not say so by
    `functools.wraps`: Sonnet's of each method of a module, say. All that it decorates would be one function else."""
    if type(function) is not FunctionType or function.__closure__ is None or not _is_of_a_method(function):
        return None
    code = function.__code__
    if code.co_flags & _TAKES_ANYTHING != _TAKES_ANYTHING or is_user_file(code.co_filename):
        return None
    found = [tf_seam.plain_function(held) for held in map(_held, function.__closure__)]
    theirs = [one for one in found if type(one) is FunctionType and is_user_file(one.__code__.co_filename)]
    return theirs[0] if len(theirs) == 1 and _is_of_a_method(theirs[0]) else None


def _is_of_a_method(function: FunctionType) -> bool:
    return function.__code__.co_varnames[:1] == ("self",)


def _held(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None
