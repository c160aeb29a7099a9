"""What a tf.function object's cache holds, and what its keys are made of."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from tb_retrace_plugin.capture.tf_seam.tracing_hook import Lookup


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


def variables_passed(type_context: Any) -> tuple[dict[Any, int], dict[int, weakref.ReferenceType[Any]]]:
    """Alias id within one signature -> the variable's own id, unique in the process; and the variables by these."""
    ids, variables = {}, {}
    for alias_id, variable in type_context.get_placeholder_mapping().items():
        handle = getattr(variable, "_handle", None)
        if handle is not None and hasattr(handle, "_id"):
            ids[alias_id] = number = int(handle._id)
            with contextlib.suppress(TypeError):  # of a class of someone's that cannot be referred to weakly
                variables[number] = weakref.ref(variable)
    return ids, variables


def scope_name(context: Any) -> str:
    """`VARIABLE_CREATION`, `NO_VARIABLE_CREATION` or `NO_SCOPE`."""
    scope = context.scope_type
    return str(getattr(scope, "_name_", scope))  # an enum's, without the property that looks it up


def context_fields(context: Any) -> dict[str, Any]:
    """The fields of an EagerContext by name, whatever this version has."""
    eager = context.context
    return dict(eager._asdict()) if hasattr(eager, "_asdict") else {}
