"""TensorFlow's trace-type classes, and what is inside of them."""

from __future__ import annotations

import collections
import re
from collections.abc import Collection
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.private import attribute
from tb_retrace_plugin.capture.values.of_type import is_written_in


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
    """The class of what was passed for a `Dict` trace type, by name; "" if it is one that everybody has.

    But of a `Counter`: what the code is passed of one is not what the caller has."""
    kind = getattr(dict_type, "_placeholder_type", None)
    if kind is collections.Counter:
        return kind.__name__
    known = ("builtins", "collections", "keras", "tensorflow", "types", "wrapt")
    return kind.__name__ if isinstance(kind, type) and kind.__module__.partition(".")[0] not in known else ""


def module_of_class(named_tuple_type: Any) -> str:
    """Of what was passed for a `NamedTuple` trace type; "" if the program is run as that module."""
    module = getattr(getattr(named_tuple_type, "_placeholder_type", None), "__module__", "")
    return module if isinstance(module, str) and module != "__main__" else ""


def distributed_variable(trace_type: Any) -> tuple[tuple[int, ...], Any] | None:
    """Shape and dtype of the variables of a strategy that a trace type stands for; None for any other type."""
    kind = type(trace_type)
    is_one = kind.__name__ == "DistributedVariableTraceType" and is_written_in(kind, "tensorflow.")
    return getattr(trace_type, "components", None) if is_one else None


def object_arguments(function_type: Any) -> dict[str, Any]:
    """By parameter, the arguments that TensorFlow holds by weak references, as far as they exist."""
    weak = trace_types().Weakref
    types = ((name, parameter.type_constraint) for name, parameter in function_type.parameters.items())
    found = {name: referent(constraint)() for name, constraint in types if type(constraint) is weak}
    return {name: value for name, value in found.items() if value is not None}


#: Of containers that are passed: levels that are gone into, and objects in all.
_MOST_LEVELS, _MOST_HELD = 3, 64


def objects_in_containers(function_type: Any) -> dict[str, Any]:
    """The same of what lies in dictionaries, lists and tuples that are passed, as code has it: `spec['norm']`."""
    types, found = trace_types(), {}
    below = [(name, one.type_constraint) for name, one in function_type.parameters.items()]
    for _ in range(_MOST_LEVELS):
        latest, below = below, []
        for text, constraint in latest:
            if type(constraint) is types.Dict:
                pairs = [(key, one) for key, one in constraint.mapping.items() if type(key) in (str, int)]
            elif type(constraint) in (types.List, types.Tuple):
                parts = constraint.components_tuple if type(constraint) is types.List else constraint
                pairs = list(enumerate(parts.components))
            else:
                continue
            below += [(f"{text}[{key!r}]", one) for key, one in pairs]
        for text, constraint in below[:_MOST_HELD]:
            if type(constraint) is types.Weakref and (held := referent(constraint)()) is not None:
                found[text] = held
    return found


def tensor_array_arguments(function_type: Any) -> dict[str, Any]:
    """By parameter, the `tf.TensorArray`s, which TensorFlow holds."""
    types = ((name, parameter.type_constraint) for name, parameter in function_type.parameters.items())
    found = {name: vars(one).get("_value") for name, one in types if type(one).__name__ == "TensorArrayTraceType"}
    return {name: array for name, array in found.items() if array is not None}


#: Of Python's own, no two of which run anything of the program's when they are compared or shown.
_PLAIN = frozenset({int, float, bool, str, bytes, complex, type(None)})


def is_of_plain_values(function_type: Any) -> bool:
    """Whether all that is passed are tensors, variables and such values as numbers and strings: nothing that changes,
    and nothing with code of the program's."""
    types = trace_types()
    for parameter in function_type.parameters.values():
        constraint = parameter.type_constraint
        kind = type(constraint)
        if kind is types.Literal:
            if type(constraint.value) not in _PLAIN:
                return False
        elif kind is not types.TensorSpec and kind is not types.VariableSpec:
            return False
    return not function_type.captures


def value_arguments(function_type: Any) -> dict[str, Any]:
    """By parameter, the arguments that TensorFlow holds and compares by `==`: a NumPy Generator, say, has no weak
    references."""
    literal = trace_types().Literal
    types = ((name, parameter.type_constraint) for name, parameter in function_type.parameters.items())
    return {name: constraint.value for name, constraint in types if type(constraint) is literal}


#: What a tensor's rank is asked for by, and a size; `len(x.shape)` without its beginning.
_RANKS = frozenset({"shape.rank", "shape.ndims", "ndim", "shape)"})
_SIZE = re.compile(r"shape\[(-?\d+)\]")


def known_of_arguments(function_type: Any, texts: Collection[str]) -> dict[str, Any]:
    """Of what code asks of its parameters (`training`, `x.shape.rank`, `x.shape[0]`, `len(x.shape)`, and `list(losses)`
    of a dictionary) what is a Python value, the same for all calls that the trace serves."""
    known: dict[str, Any] = {}
    for text in texts:
        constraint: Any
        if text.startswith("list("):
            constraint = getattr(function_type.parameters.get(text[5:-1]), "type_constraint", None)
            if type(constraint) is trace_types().Dict:
                known[text] = [key for key in constraint.mapping if type(key) in (str, int)]
            continue
        name, _, rest = text.removeprefix("len(").partition(".")
        constraint = getattr(function_type.parameters.get(name), "type_constraint", None)
        if type(constraint) is trace_types().Literal and not rest:
            known[text] = constraint.value
        elif rest and type(constraint) is trace_types().TensorSpec and (shape := constraint.shape).rank is not None:
            if rest in _RANKS:
                known[text] = shape.rank
            elif (size := _SIZE.fullmatch(rest)) is not None and -shape.rank <= int(size[1]) < shape.rank:
                known[text] = shape.as_list()[int(size[1])]
    return known


def serialized_type_spec(spec: Any) -> Any:
    """A TypeSpec's parts, the very ones that its subtyping compares."""
    return spec._serialize()


def flatten_nest(structure: Any) -> list[Any]:
    return list(attribute("tensorflow.python.util.nest", "flatten")(structure))
