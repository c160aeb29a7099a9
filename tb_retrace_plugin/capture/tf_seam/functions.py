"""The Python function that a trace is of, out of decorators, `functools.partial` and tf.data's wrappers."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import weakref
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.private import attribute, hot
from tb_retrace_plugin.capture.tf_seam.tracing_hook import closed_over, jit_compile_of


class TracedFunction(NamedTuple):
    """`outer`: what TensorFlow traces, out of its decorators; `python`: the function as its user wrote it.

    `structured`: tf.data's wrapper of the user's function; None for any other function.
    `partials`: each `functools.partial` around it. `is_bound`: there is a bound method around it, whose `self` is so.
    """

    outer: Any
    python: Any
    structured: Any
    partials: tuple[Any, ...]
    is_bound: bool = False


#: One within the other; an object may have itself as its `__wrapped__`.
_MAX_WRAPPERS = 32
_AUTOGRAPH = "/tensorflow/python/autograph/impl/api.py"


def function_class() -> Any:
    """The class of what `tf.function` makes. Raises SeamMissingError."""
    return attribute("tensorflow.python.eager.polymorphic_function.polymorphic_function", "Function")


def plain_function(function: Any) -> Any:
    """What a tf.function was made of, if that is a plain function and no method; anything else as it is."""
    if type(function) is not hot("tensorflow.python.eager.polymorphic_function.polymorphic_function", "Function"):
        return function
    python = getattr(function, "_python_function", None)
    is_plain = isinstance(python, FunctionType) and not {"__wrapped__", "_tf_decorator"} & vars(python).keys()
    return python if is_plain else function


def unwrapped(python_function: Any) -> TracedFunction:
    decorator = hot("tensorflow.python.util.tf_decorator", "unwrap")
    outer = function = decorator(python_function)[1]
    structured = None
    partials: list[Any] = []
    is_bound = False
    for _ in range(_MAX_WRAPPERS):
        is_bound = is_bound or isinstance(function, MethodType)
        if (found := structured_function(function)) is not None:
            structured = structured or found
            function = decorator(found._func)[1]
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            partials.append(function)
            function = function.func
        elif hasattr(function, "__original_wrapped__"):
            function = function.__original_wrapped__
        else:
            break
    return TracedFunction(outer, getattr(function, "__func__", function), structured, tuple(partials), is_bound)


def is_converted(tracing_options: Any, traced: TracedFunction) -> bool:
    """Whether AutoGraph is to convert it: not with `autograph=False`, nor below `do_not_convert`, whose wrapper is
    AutoGraph's own. `tf.data` converts by itself what it is given."""
    if traced.structured is not None:
        return True
    if traced.outer is traced.python:  # nearly always
        return bool(getattr(tracing_options, "autograph", True))
    code = getattr(traced.outer, "__code__", None)
    is_kept = isinstance(code, CodeType) and code.co_filename.replace("\\", "/").endswith(_AUTOGRAPH)
    return bool(getattr(tracing_options, "autograph", True)) and not is_kept


def wrapped_function(tracing_options: Any) -> Any:
    """The tf.function that this one was made of, `tf.function(tf.function(f))`; None if it was made of no such."""
    function, kind = tracing_options.python_function, function_class()
    for _ in range(_MAX_WRAPPERS):
        if isinstance(function, kind):
            return function
        if (structured := structured_function(function)) is not None:
            function = structured._func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            return None
    return None


def created_variables(tracing_options: Any) -> list[Any]:
    """What the first trace of a function has created, for which TensorFlow traces it again; nothing of other traces."""
    found = closed_over(closed_over(tracing_options.python_function, "scope"), "created_variables")
    return [one for reference in found if (one := reference()) is not None] if isinstance(found, list) else []


def compiles_alike(tracing_options: Any, function: Any) -> bool:
    """Whether a tf.function compiles as these options say, as far as its own options tell."""
    own = bool(getattr(function, "_jit_compile", False)), bool(getattr(function, "_reduce_retracing", False))
    return own == (jit_compile_of(tracing_options), bool(tracing_options.reduce_retracing))


_INFERENCE = re.compile(r"__inference_(.+)_\d+")


def restored_name(function: Any) -> str:
    """What a function out of a SavedModel was called when it was saved; "" for any other function.

    All of them have the same code, TensorFlow's own.
    """
    try:
        match = _INFERENCE.fullmatch(_restored(function)[0])
        return match[1] if match else ""
    except Exception:
        return ""


def restored_keyword_only(function: Any) -> tuple[str, ...]:
    """Parameters that such a function takes by their names alone; () of any other function, whose code says so."""
    try:
        known = closed_over(function, "concrete_functions")[_restored(function)[0]].function_type.parameters
        return tuple(name for name, one in known.items() if one.kind is inspect.Parameter.KEYWORD_ONLY)
    except Exception:
        return ()


def _restored(function: Any) -> Any:
    """Names of the concrete functions that it was saved with."""
    is_restored = getattr(getattr(function, "__code__", None), "co_name", "") == "restored_function_body"
    return closed_over(function, "saved_function").concrete_functions if is_restored else ()


def variadic_name(traced: TracedFunction) -> str:
    """The name of the function's `*args`, "" if it takes none.

    With an input signature TensorFlow declares `args_0`, `args_1`… itself.
    """
    code = getattr(getattr(traced.outer, "__func__", traced.outer), "__code__", None)
    if not isinstance(code, CodeType) or not code.co_flags & inspect.CO_VARARGS:
        return ""
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def bound_instance(traced: TracedFunction) -> weakref.ReferenceType[Any] | None:
    """The instance that a traced method is bound to, also below what a decorator or a partial makes of it; else None.

    Each instance has a tf.function object of its own, so the instance decides over the cache as an argument does.
    """
    function = traced.outer
    if traced.is_bound and traced.structured is None:
        for _ in range(_MAX_WRAPPERS):
            inner = None if isinstance(function, MethodType) else getattr(function, "__wrapped__", None)
            if inner is None and isinstance(function, functools.partial):
                inner = function.func
            if inner is None:
                break
            function = inner
    owner = getattr(function, "__self__", None) if isinstance(function, MethodType) else None
    if owner is None:
        return None
    weak = getattr(owner, "weakrefself_target__", None)  # how TensorFlow binds a decorated method
    if isinstance(weak, weakref.ReferenceType):
        return weak
    with contextlib.suppress(TypeError):
        return weakref.ref(owner)
    return None


def is_given_bound(traced: TracedFunction) -> bool:
    """Whether a call of tf.function was passed a bound method. What is decorated TensorFlow binds itself, later."""
    owner = traced.outer.__self__ if type(traced.outer) is MethodType else None
    return owner is not None and type(owner).__name__ != "TfMethodTarget"


def mapped_instance(traced: TracedFunction) -> Any:
    """The instance whose plain method tf.data was given, which makes a function of it for each dataset; else None."""
    if traced.structured is None or not traced.is_bound:
        return None
    function = traced.structured._func
    for _ in range(_MAX_WRAPPERS):
        if isinstance(function, MethodType):
            return function.__self__
        if function is None or isinstance(function, function_class()):
            break
        function = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
    return None


def structured_function(wrapper: Any) -> Any:
    """tf.data's StructuredFunctionWrapper behind one of the functions that it traces; None for any other function.

    The wrapper is in the closure of what tf.data traces, or of a function in that closure.
    """
    code = getattr(wrapper, "__code__", None)
    if not isinstance(code, CodeType) or not code.co_filename.endswith("structured_function.py"):
        return None
    todo, seen = [wrapper], 0
    while todo and seen < 16:
        function, seen = todo.pop(), seen + 1
        for cell in getattr(function, "__closure__", None) or ():
            with contextlib.suppress(ValueError):
                content = cell.cell_contents
                if type(content).__name__ == "StructuredFunctionWrapper" and callable(getattr(content, "_func", None)):
                    return content
                if callable(content) and hasattr(content, "__closure__"):
                    todo.append(content)
    return None
