"""Objects that no call passes, as they are default values: `def score(x, model=net)` need not declare the model."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.source.source_calls import calling_line


def left_to_defaults(function: FunctionFacts) -> set[str]:
    """Parameters of which every trace has one and the same object, that the lines of the calls leave out."""
    found = {path for path in function.with_default if _is_one_object(function, path)}
    return {path for path in found if all(_leaves_out(function, trace, path) for trace in function.traces)}


def _is_one_object(function: FunctionFacts, path: str) -> bool:
    nodes = [node_of(trace, path) for trace in function.traces]
    return all(node is not None and node.kind == "object" and node == nodes[0] for node in nodes)


def _leaves_out(function: FunctionFacts, trace: Traced, path: str) -> bool:
    frame = function.caller(trace)
    if frame is None:
        return False
    parameters = [name for name, _ in trace.lookup.signature.arguments]
    line = calling_line(
        frame.source, function.name, parameters, function.with_default, function.keyword_only,
        any_name=function.calls_directly(trace),
    )  # fmt: skip
    return line is not None and all(path not in call.given and not call.has_stars for call in line.calls)
