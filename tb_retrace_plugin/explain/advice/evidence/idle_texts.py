"""A string that changes together with numbers: where graphs differ in those numbers alone, it makes no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.constant_values import has_values
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.value_texts import holds_strings, is_number
from tb_retrace_plugin.explain.verdict.evidence import EACH_NUMBER

#: Of which graphs are read. Of more, some would be told and others not.
_MOST_PAIRS = 8


def with_idle_texts(function: FunctionFacts) -> FunctionFacts:
    """With such traces as avoidable, which they are then: the verdict was given without their graphs."""
    found = [place for place, trace in enumerate(function.traces) if _numbers(trace)]
    if not found or len(found) > _MOST_PAIRS:
        return function
    traces = list(function.traces)
    for place in found:
        if _is_idle(function, place):
            path = _numbers(traces[place])[0].path
            evidence = f"{EACH_NUMBER} `{path}` is traced; a tensor would not be."
            traces[place] = replace(traces[place], verdict="avoidable", evidence=evidence)
    return replace(function, traces=traces)


def _numbers(trace: Traced) -> Sequence[Change]:
    """Where strings differ, and numbers, and nothing else; () elsewhere."""
    if trace.verdict != "unknown" or trace.closest is None or trace.lookup.failed:
        return ()
    if any(change.cause != "python_value" for change in trace.changes):
        return ()
    numbers = [change for change in trace.changes if is_number(change.old) and is_number(change.new)]
    others = [change for change in trace.changes if change not in numbers]
    return numbers if others and all(holds_strings(c.old) and holds_strings(c.new) for c in others) else ()


def _is_idle(function: FunctionFacts, place: int) -> bool:
    trace = function.traces[place]
    pair = function.graphs.compare(trace.closest, place) if trace.closest is not None else None
    if pair is None or not pair.alike or pair.attribute or pair.names or not pair.constants:
        return False
    return all(any(has_values(c, n.old, n.new) for n in _numbers(trace)) for c in pair.constants)
