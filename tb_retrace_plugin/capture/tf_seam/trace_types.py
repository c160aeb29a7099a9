"""TensorFlow's trace-type classes, and what is inside of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.private import attribute


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
            attribute(default, "Literal"),
            attribute(default, "Weakref"),
            attribute(default, "Tuple"),
            attribute(default, "List"),
            attribute(default, "NamedTuple"),
            attribute(default, "Attrs"),
            attribute(default, "Dict"),
            attribute("tensorflow.core.function.trace_type.custom_nest_trace_type", "CustomNestTraceType"),
            attribute("tensorflow.python.framework.tensor", "TensorSpec"),
            attribute("tensorflow.python.ops.resource_variable_ops", "VariableSpec"),
            attribute("tensorflow.python.framework.type_spec", "TypeSpec"),
            attribute("tensorflow.python.framework.extension_type", "ExtensionTypeSpec"),
            attribute("tensorflow.python.types.trace", "TraceType"),
            attribute(default, "NanMarker"),
            attribute("tensorflow.python.framework.dtypes", "DType"),
        )
    return _trace_types


def referent(weakref_type: Any) -> Any:
    """The weakref inside a `Weakref` trace type."""
    return weakref_type._ref


def users_mapping(dict_type: Any) -> str:
    """The class of what was passed for a `Dict` trace type, by name; "" if it is one that everybody has."""
    kind = getattr(dict_type, "_placeholder_type", None)
    known = ("builtins", "collections", "keras", "tensorflow", "types", "wrapt")
    return kind.__name__ if isinstance(kind, type) and kind.__module__.partition(".")[0] not in known else ""


def object_arguments(function_type: Any) -> dict[str, Any]:
    """By parameter, the arguments that TensorFlow holds by weak references, as far as they exist."""
    weak = trace_types().Weakref
    types = ((name, parameter.type_constraint) for name, parameter in function_type.parameters.items())
    found = {name: referent(constraint)() for name, constraint in types if type(constraint) is weak}
    return {name: value for name, value in found.items() if value is not None}


def static_value(function_type: Any, parameter: str, path: Sequence[str | int]) -> Any:
    """What `parameter`, or `parameter.shape[0]`, is while the function is traced: a Python value, or a size of a
    tensor's. Raises LookupError of anything else."""
    kind = function_type.parameters[parameter].type_constraint
    types = trace_types()
    if type(kind) is types.Literal and not path:
        return kind.value
    if type(kind) is not types.TensorSpec or tuple(path[:1]) != ("shape",):
        raise LookupError
    rank, asked = kind.shape.rank, path[1:]
    if len(asked) != 1:
        raise LookupError
    if asked[0] in ("rank", "ndims"):
        return rank
    if type(asked[0]) is int and rank is not None:
        return kind.shape.as_list()[asked[0]]
    raise LookupError


def serialized_type_spec(spec: Any) -> Any:
    """A TypeSpec's parts, the very ones that its subtyping compares."""
    return spec._serialize()


def flatten_nest(structure: Any) -> list[Any]:
    return list(attribute("tensorflow.python.util.nest", "flatten")(structure))
