"""Python strings that graphs hold as constants."""

from __future__ import annotations

from itertools import islice

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.verdict.evidence import says_a_string_is_a_constant

#: Pairs of traces of which graphs are read, for one path.
_MOST_PAIRS = 2


def holds_strings(function: FunctionFacts, trace: Traced, path: str) -> bool:
    """Whether the graph holds the string at `path` that it was made for: of an avoidable trace."""
    if says_a_string_is_a_constant(trace.evidence):
        return True
    if len(trace.changes) == 1:
        return False
    holds: bool = function.graphs.once(("strings", path), lambda: _are_held_beside_others(function, path))
    return holds


def _are_held_beside_others(function: FunctionFacts, path: str) -> bool:
    """By graphs of traces of which something else is told first."""
    pairs = (
        pair
        for place, trace in enumerate(function.traces)
        if len(trace.changes) > 1 and any(c.path == path and c.cause == "python_value" for c in trace.changes)
        if trace.closest is not None and (pair := function.graphs.compare(trace.closest, place)) is not None
    )
    return any(
        pair.alike and any(constant.dtype == "string" for constant in pair.constants)
        for pair in islice(pairs, _MOST_PAIRS)
    )
