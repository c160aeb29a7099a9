"""Tensors, not variables, that graphs capture, such as the data that a model holds: a graph has its own for good."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.schema.signature import iter_leaves

#: Of which graphs are read.
_MOST_PAIRS = 6
#: Arguments of which each is one of the graph's, and such as are none of its tensors.
_ONE, _NONE = "tensor", frozenset({"literal", "none", "object", "variable", "absent"})
_MAY_BE_OTHERS = (
    "This changes results where tensors that are held, such as data, are others each time: the graph captures {},"
    " and one that is kept computes with those of the first. Pass them as arguments, or keep them in"
    " variables."
)


def told_of_captured_tensors(function: FunctionFacts, found: Sequence[Traced]) -> list[str]:
    """A warning, if graphs that objects made anew were traced for capture tensors. `found`: traces that go once one
    object is kept."""
    chosen = {id(trace) for trace in found}
    places = [place for place, trace in enumerate(function.traces) if id(trace) in chosen]
    for place in places[:_MOST_PAIRS]:
        trace = function.traces[place]
        passed = _tensors_passed(trace)
        if trace.nested or passed is None:  # what a function around it has is another tensor in each of its traces
            continue
        earlier = [one for one in range(place) if trace.nodes and function.traces[one].nodes == trace.nodes]
        pair = function.graphs.compare(earlier[-1], place) if earlier else None
        if pair is not None and pair.alike and _tensors_passed(function.traces[earlier[-1]]) == passed:
            count = pair.tensors - passed
            return (
                [_MAY_BE_OTHERS.format(f"{count} that are no variables" if count > 1 else "one that is no variable")]
                if count > 0
                else []
            )
    return []


def _tensors_passed(trace: Traced) -> int | None:
    """How many tensors the graph has for what the call passes; None: of a composite one it is not known."""
    leaves = (leaf for name, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(name, node))
    kinds = [leaf.kind for leaf in leaves]
    return kinds.count(_ONE) if all(kind == _ONE or kind in _NONE for kind in kinds) else None
