"""Objects, and tf.function objects, that come again after another one: they are kept, and need a trace each."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import node_of


def takes_turns(function: FunctionFacts, trace: Traced, path: str) -> bool:
    """Whether what this trace was made for at `path` comes again, or has come before, with another one between."""
    kept = function.graphs.once(
        ("takes turns", path),
        lambda: _kept([node.identity if (node := node_of(one, path)) else 0 for one in function.traces]),
    )
    node = node_of(trace, path)
    return node is not None and node.identity in kept


def is_called_by_turns(function: FunctionFacts, trace: Traced) -> bool:
    """The same of its tf.function object."""
    kept = function.graphs.once("called by turns", lambda: _kept([one.lookup.object_number for one in function.traces]))
    return trace.lookup.object_number in kept


def _kept(order: Sequence[int]) -> frozenset[int]:
    """Those that come again after another one; 0: there is none. What lies between two of one may be made anew."""
    first = {number: place for place, number in reversed([*enumerate(order)])}
    last = {number: place for place, number in enumerate(order)}
    return frozenset(
        number
        for number in first.keys() - {0}
        if any(one not in (0, number) for one in order[first[number] : last[number]])
    )
