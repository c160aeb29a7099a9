"""All that reaches into TensorFlow's private modules. Checked on TensorFlow 2.16 to 2.21.

Everything else in the package uses TensorFlow's public API or what is named here. `check()` says, once and in words,
what is missing; the caller then leaves training alone.
"""

from __future__ import annotations

from tb_retrace_plugin.capture.tf_seam.calls import (
    WatchedCalls,
    a_tape_records,
    argument_name,
    argument_tensors,
    unwatch_calls,
)
from tb_retrace_plugin.capture.tf_seam.datasets import Nest, dataset_function_class, element_arguments, generator_of
from tb_retrace_plugin.capture.tf_seam.function_cache import (
    by_reference_captures,
    cached_functions,
    context_fields,
    owned_by_function_object,
    scope_name,
    variable_ids,
)
from tb_retrace_plugin.capture.tf_seam.functions import (
    TracedFunction,
    bound_instance,
    compiles_alike,
    function_class,
    restored_name,
    traced_function_of,
    unwrapped,
    variadic_name,
    wrapped_function,
)
from tb_retrace_plugin.capture.tf_seam.graphs import (
    captured_tensors,
    function_definitions,
    function_graphs,
    is_eager_tensor,
    is_resource,
    node_count,
    outer_graphs,
    output_structure,
)
from tb_retrace_plugin.capture.tf_seam.private import SeamMissingError
from tb_retrace_plugin.capture.tf_seam.runtime import (
    collective_tasks,
    executing_eagerly,
    extract_stack,
    functions_run_eagerly,
    is_profiled,
    original_place,
    start_profiler_span,
)
from tb_retrace_plugin.capture.tf_seam.trace_types import (
    TraceTypes,
    flatten_nest,
    object_arguments,
    referent,
    serialized_type_spec,
    trace_types,
    users_mapping,
)
from tb_retrace_plugin.capture.tf_seam.tracing_hook import (
    Lookup,
    check,
    install,
    is_about_late_variables,
    jit_compile_of,
    look_up,
    lookup_of,
    uninstall,
    was_taken_away,
)

__all__ = [
    "Lookup",
    "Nest",
    "SeamMissingError",
    "TraceTypes",
    "TracedFunction",
    "WatchedCalls",
    "a_tape_records",
    "argument_name",
    "argument_tensors",
    "bound_instance",
    "by_reference_captures",
    "cached_functions",
    "captured_tensors",
    "check",
    "collective_tasks",
    "compiles_alike",
    "context_fields",
    "dataset_function_class",
    "element_arguments",
    "executing_eagerly",
    "extract_stack",
    "flatten_nest",
    "function_class",
    "function_definitions",
    "function_graphs",
    "functions_run_eagerly",
    "generator_of",
    "install",
    "is_about_late_variables",
    "is_eager_tensor",
    "is_profiled",
    "is_resource",
    "jit_compile_of",
    "look_up",
    "lookup_of",
    "node_count",
    "object_arguments",
    "original_place",
    "outer_graphs",
    "output_structure",
    "owned_by_function_object",
    "referent",
    "restored_name",
    "scope_name",
    "serialized_type_spec",
    "start_profiler_span",
    "trace_types",
    "traced_function_of",
    "uninstall",
    "unwatch_calls",
    "unwrapped",
    "users_mapping",
    "variable_ids",
    "variadic_name",
    "was_taken_away",
    "wrapped_function",
]
