"""One plain sentence for a trace and for a change, the same in the terminal, in reports and in the tab."""

from __future__ import annotations

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: How each cause reads between an argument's path and its values.
_VERB = {
    "shape": "changed shape",
    "rank": "changed rank",
    "dtype": "changed dtype",
    "python_value": "is another Python value",
    "python_type": "changed type",
    "structure": "changed structure",
    "object_identity": "is another object",
    "variable_identity": "shares its variables differently",
    "composite_spec": "changed its type specification",
    "capture": "captures another value",
}


def change_text(change: pb.Change) -> str:
    """Short: `x: shape (32, 10) → (7, 10)`."""
    name = change.cause.replace("_", " ")
    values = f" {change.old} → {change.new}" if change.old or change.new else ""
    return f"{change.path}: {name}{values}" if change.path else f"{name}{values}"


def _change_clause(change: pb.Change) -> str:
    values = f": {change.old} → {change.new}" if change.old or change.new else ""
    if change.cause == "recreated_function":
        return "it is a new tf.function object of the same code"
    if change.cause == "variable_creation":
        return "its first call created variables"
    if change.cause == "context":
        return f"the context it is traced in changed ({change.path}{values})"
    if change.cause == "unknown":
        return "of a reason that TensorFlow does not show"
    return f"`{change.path}` {_VERB.get(change.cause, change.cause)}{values}"


def trace_sentence(trace: pb.Trace) -> str:
    """Why this trace happened, in one sentence; backticks mark code."""
    name = f"`{trace.function.name}`"
    when = f" at step {trace.step}" if trace.HasField("step") else ""
    failed = ", and the trace failed" if trace.failed else ""
    if trace.kind == "first" and not trace.changes:
        return f"{name} was traced for the first time{when}{failed}."
    if trace.kind == "variable_creation":
        if trace.function.name == "initialize_variables":
            return f"{name} was traced{when} to initialize the variables that a first call created{failed}."
        return f"{name} was traced a second time{when} because its first call created variables{failed}."
    clauses = [_change_clause(change) for change in trace.changes[:4]]
    if not clauses:
        return f"{name} was traced again{when}; the reason is not known{failed}."
    if len(trace.changes) > len(clauses):
        clauses.append(f"{len(trace.changes) - len(clauses)} more things changed")
    because = clauses[0] if len(clauses) == 1 else ", ".join(clauses[:-1]) + " and " + clauses[-1]
    compared = f" (compared with trace {trace.closest_n})" if trace.closest_n and len(trace.changes) > 1 else ""
    return f"{name} was traced again{when} because {because}{compared}{failed}."
