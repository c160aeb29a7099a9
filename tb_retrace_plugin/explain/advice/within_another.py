"""A function that is traced within traces of another one: what saves those saves these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.source.code import plural


def propose(function: FunctionFacts) -> Fix | None:
    """For where there is no other advice."""
    said = _said(function)
    if function.within is not None and function.within.outside:  # what those outside need is not known
        return None
    within = function.within.names if function.within else ()
    text = f"`{function.name}` is traced within {listed(within)}."
    those = "function" if len(within) < 2 else "functions"
    evidence = f"Not replayed: what the other {those} will pass is not known."
    return Fix("mend_the_outer", f"{text} {said}", None, evidence=evidence) if said else None


def told_of_the_outer(advice: Sequence[Advice], function: FunctionFacts) -> list[Advice]:
    """In the first, which is what is read."""
    said = _said(function)
    return [replace(advice[0], notes=(*advice[0].notes, said)), *advice[1:]] if said and advice else list(advice)


def _said(function: FunctionFacts) -> str:
    within = function.within
    if within is None or not within.avoidable:
        return ""
    count = plural(within.traces, "trace")
    if within.avoidable == within.traces:
        those, are, go = ("trace", "is", "goes") if within.traces == 1 else (count, "are", "go")
        return (
            f"The {those} that can be avoided {are} within traces of {listed(within.names)} that can be, too, and {go}"
            " with those."
        )
    if within.outside:  # which may be served by what those then make
        return (
            f"Of {count} that can be avoided {within.avoidable:,} {'is' if within.avoidable == 1 else 'are'} within"
            f" traces of {listed(within.names)} that can be, too: once those are gone, look again at what is left."
        )
    are, go = ("is", "goes") if within.avoidable == 1 else ("are", "go")
    stay = "the other stays" if within.traces - within.avoidable == 1 else "the others stay"
    return (
        f"Of {count} that can be avoided {within.avoidable:,} {are} within traces of {listed(within.names)} that can"
        f" be, too, and {go} with those; {stay}."
    )
