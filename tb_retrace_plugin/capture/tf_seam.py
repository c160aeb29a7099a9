"""The only module that reaches into TensorFlow's private modules. Checked on TensorFlow 2.16 to 2.21.

Everything else in the package uses TensorFlow's public API or what this module hands out. `check()` says, once and
in words, what is missing; the caller then leaves training alone.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, MethodType, ModuleType
from typing import Any, NamedTuple

_TRACING = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
_SEAM = "_create_concrete_function"


class SeamMissingError(RuntimeError):
    """This TensorFlow lacks what Retrace hooks into; the message says what."""


class Lookup(NamedTuple):
    """What TensorFlow looked up in its function cache before it decided to trace."""

    function_type: Any
    context: Any  # FunctionContext(EagerContext, ScopeType)


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise SeamMissingError(f"{name} cannot be imported ({error})") from error


def _attribute(module: str, name: str) -> Any:
    try:
        return getattr(_module(module), name)
    except AttributeError as error:
        raise SeamMissingError(f"{module}.{name} is missing") from error


def check() -> None:
    """Raises SeamMissingError if this TensorFlow cannot be recorded."""
    function = _attribute(_TRACING, _SEAM)
    parameters = list(inspect.signature(getattr(function, "__wrapped__", function)).parameters)
    if parameters != ["function_type", "type_context", "func_graph", "tracing_options"]:
        raise SeamMissingError(f"{_TRACING}.{_SEAM} takes other arguments: {', '.join(parameters)}")
    options = _attribute(_TRACING, "TracingOptions")
    for name in ("python_function", "function_cache", "scope_type", "reduce_retracing", "attributes"):
        if name not in getattr(options, "__dataclass_fields__", {}):
            raise SeamMissingError(f"{_TRACING}.TracingOptions has no `{name}`")
    trace_types()
    _attribute("tensorflow.python.util.tf_stack", "extract_stack")


_original: Callable[..., Any] | None = None


def install(make_hook: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Puts `make_hook(original)` in front of TensorFlow's tracing. TensorFlow looks it up at every trace.

    Another tool may have hooked the same place before or may do so later: the hook calls what it found.
    """
    global _original
    if _original is not None:
        return
    module = _module(_TRACING)
    original = getattr(module, _SEAM)
    hook = make_hook(original)
    hook.__wrapped__ = original  # type: ignore[attr-defined]
    hook.__retrace_hook__ = True  # type: ignore[attr-defined]
    setattr(module, _SEAM, hook)
    _original = original


def uninstall() -> None:
    """Restores what `install` replaced, unless somebody has hooked in after us: then ours stays, doing nothing."""
    global _original
    if _original is None:
        return
    module = _module(_TRACING)
    if getattr(getattr(module, _SEAM), "__retrace_hook__", False):
        setattr(module, _SEAM, _original)
        _original = None


def lookup_of(frame: FrameType | None) -> Lookup | None:
    """The cache key looked up by the seam's caller, read from its frame; None if it is not where it was."""
    if frame is None:
        return None
    caller = frame.f_locals
    function_type, context = caller.get("lookup_func_type"), caller.get("current_func_context")
    if function_type is None or context is None:
        return None
    return Lookup(function_type, context)


def cached_functions(function_cache: Any) -> list[tuple[Lookup, Any]]:
    """What a function object's cache holds now, oldest first: keys with their concrete functions."""
    return [(Lookup(key[1], key[0]), concrete) for key, concrete in list(function_cache._primary.items())]


def by_reference_captures(concrete_function: Any) -> dict[str, Any]:
    """The captures that are part of a trace's key: name to trace type. (By-value captures are not looked up.)"""
    return {str(k): v for k, v in concrete_function.graph.function_captures.by_ref_tracetype.items()}


def variable_ids(type_context: Any) -> dict[Any, int]:
    """Alias id within one signature -> the variable's own id, unique in the process."""
    ids = {}
    for alias_id, variable in type_context.get_placeholder_mapping().items():
        handle = getattr(variable, "_handle", None)
        if handle is not None and hasattr(handle, "_id"):
            ids[alias_id] = int(handle._id)
    return ids


def scope_name(context: Any) -> str:
    """`VARIABLE_CREATION`, `NO_VARIABLE_CREATION` or `NO_SCOPE`."""
    return str(getattr(context.scope_type, "name", context.scope_type))


def context_fields(context: Any) -> dict[str, Any]:
    """The fields of an EagerContext by name, whatever this version has."""
    eager = context.context
    return dict(eager._asdict()) if hasattr(eager, "_asdict") else {}


class TraceTypes(NamedTuple):
    """TensorFlow's trace-type classes."""

    Literal: Any
    Weakref: Any
    Tuple: Any
    List: Any
    NamedTuple: Any
    Attrs: Any
    Dict: Any
    CustomNest: Any
    TensorSpec: Any
    VariableSpec: Any
    TypeSpec: Any
    ExtensionTypeSpec: Any
    TraceType: Any
    nan: Any


_trace_types: TraceTypes | None = None


def trace_types() -> TraceTypes:
    global _trace_types
    if _trace_types is None:
        default = "tensorflow.core.function.trace_type.default_types"
        _trace_types = TraceTypes(
            _attribute(default, "Literal"),
            _attribute(default, "Weakref"),
            _attribute(default, "Tuple"),
            _attribute(default, "List"),
            _attribute(default, "NamedTuple"),
            _attribute(default, "Attrs"),
            _attribute(default, "Dict"),
            _attribute("tensorflow.core.function.trace_type.custom_nest_trace_type", "CustomNestTraceType"),
            _attribute("tensorflow.python.framework.tensor", "TensorSpec"),
            _attribute("tensorflow.python.ops.resource_variable_ops", "VariableSpec"),
            _attribute("tensorflow.python.framework.type_spec", "TypeSpec"),
            _attribute("tensorflow.python.framework.extension_type", "ExtensionTypeSpec"),
            _attribute("tensorflow.python.types.trace", "TraceType"),
            _attribute(default, "NanMarker"),
        )
    return _trace_types


def referent(weakref_type: Any) -> Any:
    """The weakref inside a `Weakref` trace type."""
    return weakref_type._ref


def serialized_type_spec(spec: Any) -> Any:
    """A TypeSpec's parts, the very ones that its subtyping compares."""
    return spec._serialize()


def flatten_nest(structure: Any) -> list[Any]:
    return list(_attribute("tensorflow.python.util.nest", "flatten")(structure))


def python_function_of(tracing_options: Any) -> Any:
    """The function as its user wrote it, out of TensorFlow's and tf.data's wrappers."""
    decorator = _attribute("tensorflow.python.util.tf_decorator", "unwrap")
    function = decorator(tracing_options.python_function)[1]
    for _ in range(32):
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType) and code.co_filename.endswith("structured_function.py"):
            inner = _structured_function(function)
            if inner is None:
                break
            function = decorator(inner)[1]
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif hasattr(function, "func") and not hasattr(function, "__code__"):  # functools.partial
            function = function.func
        elif hasattr(function, "__original_wrapped__"):
            function = function.__original_wrapped__
        else:
            break
    return getattr(function, "__func__", function)


def variadic_names(tracing_options: Any) -> tuple[str, list[str]]:
    """The name of the function's `*args`, and what a tf.data function calls the tensors that arrive through it.

    With an input signature TensorFlow declares `args_0`, `args_1`… itself, as tf.data always does. The second part is
    empty for other functions, and where tf.data hands over something else than one tensor per argument.
    """
    function = _attribute("tensorflow.python.util.tf_decorator", "unwrap")(tracing_options.python_function)[1]
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, CodeType) or not code.co_flags & inspect.CO_VARARGS:
        return "", []
    name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    inner = getattr(python_function_of(tracing_options), "__code__", None)
    if isinstance(inner, CodeType) and inner is not code and not inner.co_flags & inspect.CO_VARARGS:
        names = inner.co_varnames[: inner.co_argcount]
        return name, list(names[1:] if names[:1] == ("self",) else names)
    return name, []


def bound_instance(tracing_options: Any) -> weakref.ReferenceType[Any] | None:
    """The instance that a traced method is bound to; None for a plain function.

    Each instance has a tf.function object of its own, so the instance decides over the cache as an argument does.
    """
    function = _attribute("tensorflow.python.util.tf_decorator", "unwrap")(tracing_options.python_function)[1]
    owner = getattr(function, "__self__", None) if isinstance(function, MethodType) else None
    if owner is None:
        return None
    weak = getattr(owner, "weakrefself_target__", None)  # how TensorFlow binds a decorated method
    if isinstance(weak, weakref.ReferenceType):
        return weak
    with contextlib.suppress(TypeError):
        return weakref.ref(owner)
    return None


def _structured_function(wrapper: Any) -> Any:
    """The user's function behind a tf.data transformation: TensorFlow keeps it in a closure's `self._func`."""
    todo, seen = [wrapper], 0
    while todo and seen < 16:
        function, seen = todo.pop(), seen + 1
        for cell in getattr(function, "__closure__", None) or ():
            with contextlib.suppress(ValueError):
                content = cell.cell_contents
                inner = getattr(content, "_func", None)
                if type(content).__name__ == "StructuredFunctionWrapper" and callable(inner):
                    return inner
                if callable(content) and hasattr(content, "__closure__"):
                    todo.append(content)
    return None


def extract_stack() -> list[tuple[str, int, str]]:
    """(file, line, function), innermost first, AutoGraph's generated code mapped back to the user's lines."""
    stack = _attribute("tensorflow.python.util.tf_stack", "extract_stack")(stacklevel=1)
    return [(frame.filename, frame.lineno, frame.name) for frame in reversed(list(stack))]


def outer_graphs(func_graph: Any) -> Iterator[Any]:
    """The function graphs around one, innermost first."""
    graph = getattr(func_graph, "outer_graph", None)
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def captured_tensors(concrete_function: Any) -> list[Any]:
    """The outside tensors that a traced graph captures by value."""
    return [external for external, _ in concrete_function.graph.captures]


def jit_compile_of(tracing_options: Any) -> bool:
    return bool((tracing_options.attributes or {}).get("_XlaMustCompile"))


def wrap_first_call(concrete_function: Any, wrapper: Callable[..., Any]) -> None:
    """Makes the next call of this one object go through `wrapper(call, *args, **kwargs)`, and that one alone."""
    class_call = type(concrete_function)._call_flat
    weak = weakref.ref(concrete_function)  # in its own __dict__, a strong one would be a cycle

    def first_call(*args: Any, **kwargs: Any) -> Any:
        function = weak()
        if function is None:  # cannot be: it is being called
            raise ReferenceError("a concrete function was called after its end")
        function.__dict__.pop("_call_flat", None)
        return wrapper(lambda: class_call(function, *args, **kwargs))

    concrete_function.__dict__["_call_flat"] = first_call


def executing_eagerly() -> bool:
    return bool(sys.modules["tensorflow"].executing_eagerly())
