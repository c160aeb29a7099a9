"""A function that is made anew, defined once and passed what it closed over: as its user would write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import are_all_of_one_kind, is_written_as_default, nodes_at


def defined_once(
    function: FunctionFacts, parameters: Sequence[str], names: Sequence[str], passed: Sequence[str]
) -> str:
    """`names`: new parameters, for which the call passes `passed`. "" if something cannot be written as a name."""
    defaults = {path: default for path in parameters if (default := _default(function, path))}
    required = [path for path in parameters if path not in defaults]  # the caller's line may have no name for others
    if not all(name.isidentifier() for name in (*parameters, *names)):
        return ""
    taken = ", ".join([*required, *names, *(f"{path}={default}" for path, default in defaults.items())])
    call = f"({', '.join([*required, *passed])})"
    if function.name == "<lambda>":
        return f"f = tf.function(lambda {taken}: …)  # once\n…\nf{call}"
    if not function.name.isidentifier():
        return ""
    own = self_of(function)
    return f"@tf.function\ndef {function.name}({own}{taken}):  # once\n    …\n\n{function.name_where_made}{call}"


def self_of(function: FunctionFacts) -> str:
    """Before a method's other parameters; "" for a static one, and for a function."""
    paths = [path for path, _ in function.traces[0].lookup.signature.arguments]
    return "self, " if function.name_where_made != function.name and "self" in paths else ""


def define_once(function: FunctionFacts, objects: Mapping[int, int]) -> str:
    """`objects`: that are made one, as `merged_objects` tells."""
    if are_all_of_one_kind(function, objects):
        return "Define it once"
    roots = len(set(objects.values()) - objects.keys())
    return (
        "Others differ in more: define one for these"
        if roots == 1
        else f"Define the {roots} that differ in more than that once each"
    )


def _default(function: FunctionFacts, path: str) -> str:
    """What a parameter that need not be passed is at every call, as code; "" if it differs, or cannot be written."""
    nodes = list(nodes_at(function, path)) if path in function.with_default else []
    values = {node.value for node in nodes if is_written_as_default(path, node)}
    return values.pop() if len(values) == 1 and len({node.kind for node in nodes}) == 1 else ""
