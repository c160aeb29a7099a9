"""A function of which other fixes make fewer tf.function objects, as it is then."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.what_if.candidate import Candidate


def as_one(function: FunctionFacts, base: Candidate) -> tuple[FunctionFacts, Candidate]:
    """As if those that stay had made all traces; `base`: what is left of that. As they are of methods, for which an
    instance is kept."""
    arguments = (name for trace in function.traces for name, _ in trace.lookup.signature.arguments)
    if not base.objects or "self" in arguments:
        return function, base
    numbers = [base.objects.get(number, number) for number in (t.lookup.object_number for t in function.traces)]
    traces = [
        replace(t, lookup=replace(t.lookup, object_number=n)) for t, n in zip(function.traces, numbers, strict=True)
    ]
    return replace(function, traces=traces), replace(base, objects={})
