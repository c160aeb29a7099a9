"""The only module that reaches into TensorFlow's private modules. Checked on TensorFlow 2.16 to 2.21.

Everything else in the package uses TensorFlow's public API or what this module hands out. `check()` says, once and
in words, what is missing; the caller then leaves training alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.plain_values import key_text
from tb_retrace_plugin.graphs.slim import FunctionGraph, Shape

_TRACING = "tensorflow.python.eager.polymorphic_function.tracing_compilation"
_MAX_OUTPUT_DEPTH = 8
_MAX_KEY = 120
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


#: For what each trace needs; `check` looks again.
_hot = functools.lru_cache(maxsize=None)(_attribute)
_hot_module = functools.lru_cache(maxsize=None)(_module)


def check() -> None:
    """Raises SeamMissingError if this TensorFlow cannot be recorded."""
    function = _attribute(_TRACING, _SEAM)
    found = inspect.signature(function).parameters  # follows `__wrapped__`
    parameters = list(found)
    is_wrapper = bool(found) and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found.values())
    if not is_wrapper and parameters != ["function_type", "type_context", "func_graph", "tracing_options"]:
        raise SeamMissingError(f"{_TRACING}.{_SEAM} takes other arguments: {', '.join(parameters)}")
    options = _attribute(_TRACING, "TracingOptions")
    for name in ("python_function", "function_cache", "scope_type", "reduce_retracing", "attributes"):
        if name not in getattr(options, "__dataclass_fields__", {}):
            raise SeamMissingError(f"{_TRACING}.TracingOptions has no `{name}`")
    cache = _attribute("tensorflow.core.function.polymorphism.function_cache", "FunctionCache")()
    try:
        weakref.ref(cache._primary)
    except (AttributeError, TypeError) as error:
        raise SeamMissingError(f"FunctionCache is another one ({error})") from error
    trace_types()
    _attribute("tensorflow.python.util.tf_stack", "extract_stack")


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
    module = _module(_TRACING)
    original = getattr(module, _SEAM)
    if _hook is not None and _is_below(original, _hook):
        return
    hook = make_hook(original)
    hook.__wrapped__ = original  # type: ignore[attr-defined]
    hook.__retrace_hook__ = True  # type: ignore[attr-defined]
    setattr(module, _SEAM, hook)
    _original, _hook = original, hook


def uninstall() -> None:
    """Restores what `install` replaced, unless somebody has hooked in after us: then ours stays, doing nothing."""
    global _original, _hook
    module = _module(_TRACING)
    if _hook is not None and getattr(module, _SEAM) is _hook:
        setattr(module, _SEAM, _original)
        _original = _hook = None


def was_taken_away() -> bool:
    """Whether what stands in front of tracing is TensorFlow's own function, or a wrapper of it without our hook.

    False where a wrapper does not say what it wraps: our hook may well be below it.
    """
    if _hook is None:
        return False
    bottom = found = getattr(_module(_TRACING), _SEAM)
    for _ in range(_MAX_WRAPPERS):
        if found is _hook:
            return False
        bottom, found = found, getattr(found, "__wrapped__", None)
        if found is None:
            break
    return bottom is _original or getattr(bottom, "__module__", "") == _TRACING


def _is_below(found: Any, hook: Any) -> bool:
    for _ in range(_MAX_WRAPPERS):
        if found is hook:
            return True
        found = getattr(found, "__wrapped__", None)
    return False


def lookup_of(frame: FrameType | None) -> Lookup | None:
    """The cache key looked up by the seam's caller, read from its frame; None if it is not where it was.

    Frames of other tools that have wrapped the seam may lie between.
    """
    for _ in range(_MAX_FRAMES_BETWEEN):
        if frame is None:
            return None
        if "lookup_func_type" in frame.f_code.co_varnames:
            caller = frame.f_locals
            function_type, context = caller.get("lookup_func_type"), caller.get("current_func_context")
            if function_type is None or context is None:
                return None
            return Lookup(function_type, context)
        frame = frame.f_back
    return None


def look_up(function_cache: Any, lookup: Lookup) -> None:
    """Looks as TensorFlow does before it traces. What is not there changes nothing."""
    function_cache.lookup(lookup.function_type, lookup.context)


def owned_by_function_object(tracing_options: Any) -> Any:
    """Something that can be weakly referenced and that exactly one function object has, for its whole life.

    Options are not that: `get_concrete_function` makes new ones for each call. A function cache is, but cannot be
    weakly referenced; the dictionary in it can.
    """
    cache = tracing_options.function_cache
    return tracing_options if cache is None else cache._primary


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
    DType: Any


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
            _attribute("tensorflow.python.framework.dtypes", "DType"),
        )
    return _trace_types


def referent(weakref_type: Any) -> Any:
    """The weakref inside a `Weakref` trace type."""
    return weakref_type._ref


def objects_given(function_type: Any) -> dict[str, Any]:
    """By parameter, arguments that are held weakly: whatever is in one, it finds the trace that it was given to."""
    weakref_kind = _attribute("tensorflow.core.function.trace_type.default_types", "Weakref")
    found = {}
    for name, parameter in function_type.parameters.items():
        kind = parameter.type_constraint
        value = referent(kind)() if type(kind) is weakref_kind else None
        if value is not None:
            found[name] = value
    return found


def serialized_type_spec(spec: Any) -> Any:
    """A TypeSpec's parts, the very ones that its subtyping compares."""
    return spec._serialize()


def flatten_nest(structure: Any) -> list[Any]:
    return list(_attribute("tensorflow.python.util.nest", "flatten")(structure))


class TracedFunction(NamedTuple):
    """`outer`: what TensorFlow traces, out of its decorators; `python`: the function as its user wrote it.

    `structured`: tf.data's wrapper of the user's function; None for any other function.
    `partials`: each `functools.partial` around it.
    """

    outer: Any
    python: Any
    structured: Any
    partials: tuple[Any, ...]


#: A function that is traced again is unwrapped once. Weak: what is in a decorator may hold the decorator.
_unwrapped: weakref.WeakKeyDictionary[FunctionType, tuple[weakref.ReferenceType[Any], weakref.ReferenceType[Any]]]
_unwrapped = weakref.WeakKeyDictionary()


def traced_function_of(tracing_options: Any) -> TracedFunction:
    function = tracing_options.python_function
    if type(function) is not FunctionType:
        return unwrapped(function)
    known = _unwrapped.get(function)
    if known is not None:
        outer, python = known[0](), known[1]()
        if outer is not None and python is not None:
            return TracedFunction(outer, python, None, ())
    found = unwrapped(function)
    if found.structured is None and not found.partials and type(found.outer) is type(found.python) is FunctionType:
        _unwrapped[function] = weakref.ref(found.outer), weakref.ref(found.python)
    return found


def function_class() -> Any:
    """The class of what `tf.function` makes. Raises SeamMissingError."""
    return _attribute("tensorflow.python.eager.polymorphic_function.polymorphic_function", "Function")


def dataset_function_class() -> Any:
    """The class of what tf.data makes of each function that it is given. Raises SeamMissingError."""
    return _attribute("tensorflow.python.data.ops.structured_function", "StructuredFunctionWrapper")


def generator_of(value: Any) -> tuple[Any] | None:
    """The callable that `Dataset.from_generator` was given, out of what its functions close over; None for all else."""
    if type(value).__name__ != "_GeneratorState" or not type(value).__module__.startswith("tensorflow."):
        return None
    try:
        return (value._generator,)
    except AttributeError:
        return None


def unwrapped(python_function: Any) -> TracedFunction:
    decorator = _hot("tensorflow.python.util.tf_decorator", "unwrap")
    outer = function = decorator(python_function)[1]
    structured = None
    partials: list[Any] = []
    for _ in range(32):
        if (found := _structured_function(function)) is not None:
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
    return TracedFunction(outer, getattr(function, "__func__", function), structured, tuple(partials))


def wrapped_function(tracing_options: Any) -> Any:
    """The tf.function that this one was made of, `tf.function(tf.function(f))`; None if it was made of no such."""
    function, kind = tracing_options.python_function, function_class()
    for _ in range(32):
        if isinstance(function, kind):
            return function
        if (structured := _structured_function(function)) is not None:
            function = structured._func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            return None
    return None


def compiles_alike(tracing_options: Any, function: Any) -> bool:
    """Whether a tf.function compiles as these options say, as far as its own options tell."""
    own = bool(getattr(function, "_jit_compile", False)), bool(getattr(function, "_reduce_retracing", False))
    return own == (jit_compile_of(tracing_options), bool(tracing_options.reduce_retracing))


_INFERENCE = re.compile(r"__inference_(.+)_\d+")


def restored_name(function: Any) -> str:
    """What a function out of a SavedModel was called when it was saved; "" for any other function.

    All of them have the same code, TensorFlow's own.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or code.co_name != "restored_function_body":
        return ""
    try:
        saved = function.__closure__[code.co_freevars.index("saved_function")].cell_contents
        match = _INFERENCE.fullmatch(saved.concrete_functions[0])
        return match[1] if match else ""
    except Exception:
        return ""


def is_about_late_variables(error: BaseException | None) -> bool:
    """Whether TensorFlow refused a trace because it created variables after the function's first call."""
    if not isinstance(error, ValueError):
        return False
    try:
        return "only supports singleton tf.Variables created on the first call" in str(error)
    except Exception:
        return False


class Nest(NamedTuple):
    """A container in a tf.data element, or (`word` "tensor") the number of a tensor that arrives for it."""

    word: str
    type_name: str = ""
    children: tuple[tuple[str, Nest], ...] = ()
    tensor: int = 0


def variadic_name(traced: TracedFunction) -> str:
    """The name of the function's `*args`, "" if it takes none.

    With an input signature TensorFlow declares `args_0`, `args_1`… itself.
    """
    code = getattr(getattr(traced.outer, "__func__", traced.outer), "__code__", None)
    if not isinstance(code, CodeType) or not code.co_flags & inspect.CO_VARARGS:
        return ""
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def element_arguments(traced: TracedFunction) -> list[tuple[str, Nest]] | None:
    """What a tf.data function's user receives, of the tensors that TensorFlow hands over as `args_0`, `args_1`…

    None for a function that is not tf.data's, and where its element has parts that arrive as several tensors.
    """
    structured = traced.structured
    if structured is None:
        return None
    element = structured._input_structure
    parts = element if type(element) is tuple else (element,)  # tf.data unpacks plain tuples alone
    names: list[str] = []
    rest = "args"
    for parameter in inspect.signature(structured._func).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
    names += [f"{rest}[{i}]" for i in range(len(parts) - len(names))]
    count = itertools.count()
    nests = [(name, _nest(part, count)) for name, part in zip(names, parts, strict=False)]
    tensors = _attribute("tensorflow.python.data.util.structure", "get_flat_tensor_specs")(element)
    return nests if next(count) == len(tensors) else None


def _nest(part: Any, count: Iterator[int]) -> Nest:
    """Tensors are numbered as tf.data's own `nest.flatten` does: dictionaries by sorted key, lists and specs whole."""
    if isinstance(part, dict):
        keyed = [(f"[{key_text(key, _MAX_KEY)}]", _nest(part[key], count)) for key in sorted(part)]
        return Nest("dict", "dict", tuple(keyed))
    if hasattr(type(part), "__attrs_attrs__"):
        fields = [field.name for field in type(part).__attrs_attrs__]
        return Nest("attrs", type(part).__name__, tuple((f".{f}", _nest(getattr(part, f), count)) for f in fields))
    if isinstance(part, tuple) and hasattr(part, "_fields"):
        named = zip(part._fields, part, strict=True)
        return Nest("named_tuple", type(part).__name__, tuple((f".{f}", _nest(item, count)) for f, item in named))
    if isinstance(part, tuple):
        return Nest("tuple", "tuple", tuple((f"[{i}]", _nest(item, count)) for i, item in enumerate(part)))
    return Nest("tensor", tensor=next(count))


def bound_instance(traced: TracedFunction) -> weakref.ReferenceType[Any] | None:
    """The instance that a traced method is bound to; None for a plain function.

    Each instance has a tf.function object of its own, so the instance decides over the cache as an argument does.
    """
    owner = getattr(traced.outer, "__self__", None) if isinstance(traced.outer, MethodType) else None
    if owner is None:
        return None
    weak = getattr(owner, "weakrefself_target__", None)  # how TensorFlow binds a decorated method
    if isinstance(weak, weakref.ReferenceType):
        return weak
    with contextlib.suppress(TypeError):
        return weakref.ref(owner)
    return None


def _structured_function(wrapper: Any) -> Any:
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


def extract_stack() -> list[tuple[str, int, str]]:
    """(file, line, function), innermost first, AutoGraph's generated code mapped back to the user's lines."""
    stack = _hot("tensorflow.python.util.tf_stack", "extract_stack")(stacklevel=1)
    return [(frame.filename, frame.lineno, frame.name) for frame in reversed(list(stack))]


def original_place(file: str, line: int) -> tuple[str, int] | None:
    """Where a line of AutoGraph's generated code comes from, of a function that runs in this thread; else None."""
    mappers = _hot("tensorflow.python.util.tf_stack", "_source_mapper_stacks").get(threading.get_ident())
    found = mappers[-1].get_effective_source_map().get((file, line)) if mappers else None
    return None if found is None else (str(found[0]), int(found[1]))


def outer_graphs(func_graph: Any) -> Iterator[Any]:
    """The function graphs around one, innermost first."""
    graph = getattr(func_graph, "outer_graph", None)
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def captured_tensors(concrete_function: Any) -> list[Any]:
    """The outside tensors that a traced graph captures by value."""
    return [external for external, _ in concrete_function.graph.captures]


def output_structure(concrete_function: Any) -> str:
    """What a graph does not tell of what is returned: the containers around its outputs; "" for one tensor, or none."""
    return _structure(getattr(concrete_function.graph, "structured_outputs", None), 0)


def _structure(value: Any, depth: int) -> str:
    if value is None:
        return "None"
    if depth < _MAX_OUTPUT_DEPTH:
        if isinstance(value, dict):
            items = [f"{_key_text(key)}: {_structure(item, depth + 1)}" for key, item in value.items()]
            return f"{type(value).__name__}({', '.join(items)})"
        if isinstance(value, tuple | list):
            return f"{type(value).__name__}({', '.join([_structure(item, depth + 1) for item in value])})"
    return ""


def _key_text(key: Any) -> str:
    """A user's `__repr__` is not run."""
    return repr(key) if type(key) in (str, int) else type(key).__name__


def is_resource(tensor: Any) -> bool:
    """Whether it is the handle of a variable, or of something else that keeps its state."""
    return str(getattr(tensor.dtype, "name", "")) == "resource"


def is_eager_tensor(tensor: Any) -> bool:
    """Whether it has a value of its own; not one of a graph that is being traced."""
    return type(tensor).__name__ == "EagerTensor" and not is_resource(tensor)


def node_count(graph: Any) -> int:
    return int(graph.num_operations()) if hasattr(graph, "num_operations") else len(graph.get_operations())


def function_graphs(concrete_function: Any) -> list[FunctionGraph]:
    """The traced function's definition and those of its library, with the shapes that definitions do not hold.

    A FunctionDef comes out of the runtime in a tenth of the time that `as_graph_def` takes for the same nodes.
    """
    graphs = [concrete_function.graph]
    # `.graph` would build one
    graphs += [getattr(function, "_cached_graph", None) for function in concrete_function.graph._functions.values()]
    shapes = [None if graph is None else _shapes_in(graph) for graph in graphs]
    # after the shapes: what is done next with the definitions finds them in the processor's caches
    return list(map(_function_graph, function_definitions(concrete_function), shapes))


def function_definitions(concrete_function: Any) -> list[Any]:
    """The FunctionDef of the traced function, then those of its library."""
    context = _hot("tensorflow.python.eager.context", "context")()
    return [context.get_function_def(name) for name in (concrete_function.name, *concrete_function.graph._functions)]


class _Shapes(NamedTuple):
    """Of a FuncGraph, as in FunctionGraph, without those of `operations` where tensors are of another make."""

    numbers: list[str]
    operations: list[Any]
    lists: list[tuple[Shape, ...]] | None
    of_inputs: list[int]
    of_nodes: list[int]


def _shapes_in(graph: Any) -> _Shapes:
    inputs = dict.fromkeys(tensor.op for tensor in graph.inputs)
    numbers = [name for operation in inputs if (name := operation.name.rpartition("/")[2]).isdecimal()]
    operations = [operation for operation in graph.get_operations() if operation not in inputs]
    # each distinct list is kept once: thousands of tuples would set the garbage collector off
    lists: dict[tuple[Shape, ...], int] = {(): 0}
    try:
        of_inputs = [lists.setdefault((_static_shape(tensor),), len(lists)) for tensor in graph.inputs]
        of_nodes = []
        for operation in operations:
            outputs = operation.outputs
            if len(outputs) == 1:  # nearly always; `_static_shape` written out
                dims, is_unknown = outputs[0]._shape
                shapes: tuple[Shape, ...] = (None if is_unknown else tuple(dims),)
            else:
                shapes = tuple([_static_shape(output) for output in outputs])
            of_nodes.append(lists.setdefault(shapes, len(lists)))
    except (AttributeError, TypeError, ValueError):  # tensors of another make
        return _Shapes(numbers, operations, None, [], [])
    return _Shapes(numbers, operations, list(lists), of_inputs, of_nodes)


def _function_graph(definition: Any, shapes: _Shapes | None) -> FunctionGraph:
    if shapes is None:
        return FunctionGraph(definition)
    numbers, operations, lists, of_inputs, of_nodes = shapes
    nodes = definition.node_def
    # the same order, as it always is; comparing every name would take longer than all else
    some = range(0, len(nodes), 1 + len(nodes) // 100)
    is_same = len(operations) == len(nodes) and [operations[i].name for i in some] == [nodes[i].name for i in some]
    if lists is None or not is_same:
        return FunctionGraph(definition, numbers=numbers)
    return FunctionGraph(definition, lists, of_inputs, of_nodes, numbers)


def _static_shape(tensor: Any) -> Shape:
    """As `tensor.shape`, without making a TensorShape that the tensor would keep."""
    dims, is_unknown = tensor._shape
    return None if is_unknown else tuple(dims)


def jit_compile_of(tracing_options: Any) -> bool:
    return bool((tracing_options.attributes or {}).get("_XlaMustCompile"))


class WatchedCalls:
    """Sees the calls of one concrete function, from `watch` until `unwatch_calls`.

    One object for each watched function and no closures: every trace leaves one behind until its first call.
    """

    __slots__ = ("_class_call", "_function")

    def __init__(self, concrete_function: Any) -> None:
        self._class_call = type(concrete_function)._call_flat
        self._function = weakref.ref(concrete_function)  # in its own __dict__, a strong one would be a cycle

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        """A call with these tensors and captured tensors. What it returns is called with whether the call failed."""
        raise NotImplementedError

    def cope(self, error: Exception) -> bool:
        """An error of `begin`'s, or of what it returned: the call goes on unless this says that it is the program's."""
        raise NotImplementedError

    def function(self) -> Any:
        """None once it is gone."""
        return self._function()

    def watch(self) -> None:
        self.function().__dict__["_call_flat"] = self

    def __call__(self, tensor_inputs: Any, captured_inputs: Any) -> Any:
        function, end = self._function(), None  # runs nothing that could fail
        if function is None:  # cannot be: it is being called
            raise ReferenceError("a concrete function was called after its end")
        try:
            end = self.begin(tensor_inputs, captured_inputs)
        except Exception as problem:
            if self.cope(problem):
                raise
        if end is None:
            return self._class_call(function, tensor_inputs, captured_inputs)
        has_failed = True
        try:
            result = self._class_call(function, tensor_inputs, captured_inputs)
            has_failed = False
            return result
        finally:
            try:
                end(has_failed)
            except Exception as problem:
                if self.cope(problem):
                    raise


def unwatch_calls(concrete_function: Any) -> None:
    """Calls run TensorFlow's own code alone again."""
    if concrete_function is not None:
        concrete_function.__dict__.pop("_call_flat", None)


def argument_tensors(concrete_function: Any) -> list[Any]:
    """The graph's placeholders of arguments, in the order of flat tensor arguments; captures left out."""
    graph = concrete_function.graph
    return list(graph.inputs[: len(graph.inputs) - len(graph.captures) - len(graph.deferred_internal_captures)])


def argument_name(placeholder: Any) -> str:
    """The argument's name as TensorFlow keeps it with the placeholder."""
    try:
        return str(placeholder.op.get_attr("_user_specified_name").decode())
    except Exception:
        return str(placeholder.op.name)


def a_tape_records(concrete_function: Any, tensors: list[Any]) -> bool:
    """Whether a gradient tape will record a call with these tensors; its forward pass is a function of its own."""
    if not _hot("tensorflow.python.eager.record", "could_possibly_record")():
        return False
    # as the call itself is about to do: only then do tapes know which variables it reads
    accessed = _hot("tensorflow.python.ops.resource_variable_ops", "variable_accessed")
    for variable in concrete_function.graph.variables:
        accessed(variable)
    kind = _hot("tensorflow.python.ops.gradients_util", "PossibleTapeGradientTypes")
    return bool(kind(tensors) != _hot("tensorflow.python.ops.gradients_util", "POSSIBLE_GRADIENT_TYPES_NONE"))


def executing_eagerly() -> bool:
    return bool(sys.modules["tensorflow"].executing_eagerly())


def functions_run_eagerly() -> bool:
    """Whether `tf.config.run_functions_eagerly(True)` is on: then nothing is traced."""
    return bool(sys.modules["tensorflow"].config.functions_run_eagerly())


def collective_tasks() -> int:
    """Processes that this one's collective operations wait for, itself counted; 0: it belongs to no such cluster."""
    try:
        server = _hot("tensorflow.python.eager.context", "context")()._collective_ops_server_def
        tasks = sum(len(job.tasks) for job in server.cluster.job if job.name in ("chief", "worker")) if server else 0
    except (SeamMissingError, AttributeError):  # not known in this TensorFlow
        return 0
    return tasks if tasks > 1 else 0


def start_profiler_span(name: str) -> Any:
    """A span in the profile session that runs now, begun; None if none does."""
    span = sys.modules["tensorflow"].profiler.experimental.Trace(name)
    return span if getattr(span, "_traceme", None) is not None else None


def is_profiled() -> bool:
    """Whether a profile session runs, whoever started it."""
    # the profiler sets it, up to TensorFlow 2.17 or so
    enabled = _hot_module("tensorflow.python.profiler.trace").enabled
    return bool(enabled() if callable(enabled) else enabled)
