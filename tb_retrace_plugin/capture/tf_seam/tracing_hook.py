"""The function through which TensorFlow traces: hooked, checked, and what its caller looked up."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.private import SeamMissingError, attribute, load
from tb_retrace_plugin.capture.tf_seam.trace_types import trace_types

TRACING = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
SEAM = "_create_concrete_function"


def check() -> None:
    """Raises SeamMissingError if this TensorFlow cannot be recorded."""
    function = attribute(TRACING, SEAM)
    found = inspect.signature(function).parameters  # follows `__wrapped__`
    parameters = list(found)
    is_wrapper = bool(found) and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found.values())
    if not is_wrapper and parameters != ["function_type", "type_context", "func_graph", "tracing_options"]:
        raise SeamMissingError(f"{TRACING}.{SEAM} takes other arguments: {', '.join(parameters)}")
    options = attribute(TRACING, "TracingOptions")
    for name in ("python_function", "function_cache", "scope_type", "reduce_retracing", "attributes"):
        if name not in getattr(options, "__dataclass_fields__", {}):
            raise SeamMissingError(f"{TRACING}.TracingOptions has no `{name}`")
    cache = attribute("tensorflow.core.function.polymorphism.function_cache", "FunctionCache")()
    try:
        weakref.ref(cache._primary)
    except (AttributeError, TypeError) as error:
        raise SeamMissingError(f"FunctionCache is another one ({error})") from error
    trace_types()
    attribute("tensorflow.python.util.tf_stack", "extract_stack")


_original: Callable[..., Any] | None = None
_hook: Callable[..., Any] | None = None
#: Other tools' wrappers that are looked through, and frames of theirs between TensorFlow's and ours.
_MAX_WRAPPERS = 32
_MAX_FRAMES_BETWEEN = 8


def install(make_hook: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Puts `make_hook(original)` in front of TensorFlow's tracing. TensorFlow looks it up at every trace.

    Another tool may have hooked the same place before or may do so later: the hook calls what it found. Where a hook
    of ours is or may be below another tool's wrapper, the one above it has seen a trace first, and it passes it on.
    """
    global _original, _hook
    module = load(TRACING)
    original = getattr(module, SEAM)
    if _hook is not None and _is_below(original, _hook):
        return
    hook = make_hook(original)
    hook.__wrapped__ = original  # type: ignore[attr-defined]
    hook.__retrace_hook__ = True  # type: ignore[attr-defined]
    setattr(module, SEAM, hook)
    _original, _hook = original, hook


def uninstall() -> None:
    """Restores what `install` replaced, unless somebody has hooked in after us: then ours stays, doing nothing."""
    global _original, _hook
    module = load(TRACING)
    if _hook is not None and getattr(module, SEAM) is _hook:
        setattr(module, SEAM, _original)
        _original = _hook = None


def was_taken_away() -> bool:
    """Whether what stands in front of tracing is TensorFlow's own function, or a wrapper of it without our hook.

    False where a wrapper does not say what it wraps: our hook may well be below it.
    """
    if _hook is None:
        return False
    bottom = found = getattr(load(TRACING), SEAM)
    for _ in range(_MAX_WRAPPERS):
        if found is _hook:
            return False
        bottom, found = found, getattr(found, "__wrapped__", None)
        if found is None:
            break
    return bottom is _original or getattr(bottom, "__module__", "") == TRACING


def _is_below(found: Any, hook: Any) -> bool:
    for _ in range(_MAX_WRAPPERS):
        if found is hook:
            return True
        found = getattr(found, "__wrapped__", None)
    return False


_looks_up: CodeType | None = None  # of the seam's caller: to ask for its variables' names takes longer


class Lookup(NamedTuple):
    """What TensorFlow looked up in its function cache before it decided to trace.

    `is_called`: by a call of the function, so that what is traced is executed within it, or another trace follows.
    """

    function_type: Any
    context: Any  # FunctionContext(EagerContext, ScopeType)
    is_called: bool = False


def lookup_of(frame: FrameType | None) -> Lookup | None:
    """The cache key looked up by the seam's caller, read from its frame; None if it is not where it was.

    Frames of other tools that have wrapped the seam may lie between.
    """
    global _looks_up
    for _ in range(_MAX_FRAMES_BETWEEN):
        if frame is None:
            return None
        if frame.f_code is _looks_up or "lookup_func_type" in frame.f_code.co_varnames:
            _looks_up = frame.f_code
            caller = frame.f_locals
            function_type, context = caller.get("lookup_func_type"), caller.get("current_func_context")
            if function_type is None or context is None:
                return None
            return Lookup(function_type, context, _is_called(frame.f_back))
        frame = frame.f_back
    return None


#: Of an error that says, in TensorFlow's words or in Keras', that a later call creates variables.
_OF_LATE_VARIABLES: dict[type[BaseException], str] = {
    ValueError: "only supports singleton tf.Variables created on the first call",
    AttributeError: "'SymbolicTensor' object has no attribute 'handle'",
}
#: Who has a function traced to call it, by who does so for them; `get_concrete_function` comes to both otherwise.
_CALLERS = {"call_function": None, "_initialize": "_call"}


def _is_called(frame: FrameType | None) -> bool:
    """`frame`: of `trace_function`, which looks up or traces, and calls nothing."""
    if frame is None or frame.f_code.co_name != "trace_function" or (frame := frame.f_back) is None:
        return False
    name = frame.f_code.co_name
    if name not in _CALLERS:
        return False
    around = _CALLERS[name]
    return around is None or (frame.f_back is not None and frame.f_back.f_code.co_name == around)


def look_up(function_cache: Any, lookup: Lookup) -> None:
    """Looks as TensorFlow does before it traces. What is not there changes nothing."""
    function_cache.lookup(lookup.function_type, lookup.context)


def jit_compile_of(tracing_options: Any) -> bool:
    return bool((tracing_options.attributes or {}).get("_XlaMustCompile"))


def is_about_late_variables(error: BaseException) -> bool:
    """Whether TensorFlow refused a trace because it created variables after the function's first call.

    Keras 3 hides that of a model of the user's own class: it warns, builds the layers for their shapes alone, and fails
    where these are trained.
    """
    said = next((text for kind, text in _OF_LATE_VARIABLES.items() if isinstance(error, kind)), None)
    try:
        return said is not None and said in str(error)
    except Exception:
        return False


def has_made_variables(tracing_options: Any) -> bool:
    """Whether traces of a tf.function that may make variables have made some; False where that is not known."""
    scope = closed_over(tracing_options.python_function, "scope")
    return bool(closed_over(scope, "created_variables"))


def closed_over(function: Any, name: str) -> Any:
    """What a function of TensorFlow's closes over by that name; None where there is nothing."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or name not in code.co_freevars:
        return None
    try:
        return function.__closure__[code.co_freevars.index(name)].cell_contents
    except ValueError:  # not filled yet
        return None


def is_about_an_initial_value(error: BaseException) -> bool:
    """Whether TensorFlow could not lift a variable's initial value out of the function, as it depends on an argument.

    It goes on without that, and shows the error to nobody.
    """
    return type(error).__name__ == "UnliftableError"
