"""A function of which other fixes make one tf.function object of several, as it is then."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.what_if.candidate import Candidate


def as_one(function: FunctionFacts, base: Candidate) -> tuple[FunctionFacts, Candidate]:
    """As if the one had made all traces; `base`: what is left of that. As they are where several stay, and of methods,
    for which an instance is kept."""
    left = {base.objects.get(number, number) for number in (t.lookup.object_number for t in function.traces)}
    arguments = (name for trace in function.traces for name, _ in trace.lookup.signature.arguments)
    if not base.objects or len(left) > 1 or "self" in arguments:
        return function, base
    (number,) = left
    traces = [replace(trace, lookup=replace(trace.lookup, object_number=number)) for trace in function.traces]
    return replace(function, traces=traces), replace(base, objects={})
