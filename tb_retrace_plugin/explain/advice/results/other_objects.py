"""Objects that are made one, of which only some traces were compared: graphs of others may hold other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts, Traced, merged
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.advice.evidence.reading import made_of_others, node_of
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: Rules that leave all that the function reads as it is.
_RULES = frozenset({"create_function_once", "one_instance"})
#: Pairs of which graphs are read.
_MOST_PAIRS = 3


def told_of_other_objects(
    advice: Advice, function: FunctionFacts, fixes: Sequence[Fix], stays: Sequence[bool]
) -> Advice:
    """The advice, with in what the graph that would serve a call differs from the one that was traced for it."""
    if not any(fix.rule in _RULES for fix in fixes):
        return advice
    read = 0
    for served_by, place in _served(function, merged(fixes), stays):
        if read == _MOST_PAIRS:
            break
        read += 1
        pair = function.graphs.compare(served_by, place)
        if pair is None or values_read_anew(function, served_by, place):
            continue
        odd = [constant for constant in pair.constants if not constant.of_gradient]
        if not odd and (pair.alike or pair.forward):
            continue
        what = "have other operations"
        if odd:
            values = f" ({odd[0].old:g} and {odd[0].new:g})" if _are_numbers(odd[0].old, odd[0].new) else ""
            what = f"hold other values{values}"
        told = advice.warned(
            f"This changes results: graphs of the same arguments {what}, of what each reads of its own object, or from"
            " around it. Of one that serves all it is what the first has read: keep it in a tf.Variable, or pass it as"
            " a tensor."
        )
        return replace(told, apply=None)
    return advice


def _served(function: FunctionFacts, change: Candidate, stays: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Traces that go, after the one with the same arguments that serves instead, or the first that goes as well, as
    where what serves both has unknown dimensions; but for what was compared already."""
    serving: dict[tuple[object, ...], int] = {}
    around = made_of_others(function)
    for place, trace in enumerate(function.traces):
        number = trace.lookup.object_number
        if number in around:  # it has the operations of the one that it calls
            continue
        key = (change.objects.get(number, number), _instance(trace, change.identities), _arguments(trace))
        if stays[place] and trace.kind == "variable_creation":  # the trace before it made variables, and never runs
            serving[key] = place
        elif stays[place]:
            serving.setdefault(key, place)
        elif trace.lookup.failed:
            continue
        elif (before := serving.setdefault(key, place)) not in (place, trace.closest):
            yield before, place


def _instance(trace: Traced, identities: Mapping[tuple[str, int], int]) -> int | None:
    """The one in its place, of a function that is passed it; None where each has a function of its own."""
    own = node_of(trace, "self") if identities else None
    return identities.get(("self", own.identity), own.identity) if own is not None else None


def _arguments(trace: Traced) -> tuple[object, ...]:
    return tuple(pair for pair in trace.lookup.signature.arguments if pair[0] != "self")


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
