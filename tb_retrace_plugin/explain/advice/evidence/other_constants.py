"""What a model, or another object that is to be kept, was made with: the graph of one has numbers of its own."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.advice.evidence.sizes_in_graphs import FLOATS, is_of_sizes
from tb_retrace_plugin.schema.signature import iter_leaves

#: Of which graphs are read.
_MOST_PAIRS = 6
_DIFFER = (
    "This changes results: the graphs of two of these traces differ in {}, which each object was made with, or has"
    " read: one that is kept computes with those of the first. Pass what sets such a number as a tensor, or have a"
    " tf.Variable for it that is assigned to before each run; each value that a Keras layer is made with"
    " (`Dropout(rate)`) needs a model of its own."
)


def told_of_other_constants(function: FunctionFacts, found: Sequence[Traced], told: int = 0) -> list[str]:
    """A warning, if graphs that objects made anew were traced for differ in fractions as well, which no sizes explain.

    `found`: traces that go once one object is kept; `told`: of how many numbers it is said already that they differ.
    """
    chosen = {id(trace) for trace in found}
    places = [place for place, trace in enumerate(function.traces) if id(trace) in chosen]
    for place in places[:_MOST_PAIRS]:
        nodes = function.traces[place].nodes
        earlier = [one for one in range(place) if nodes and function.traces[one].nodes == nodes]
        pair = function.graphs.compare(earlier[-1], place) if earlier else None
        if pair is None or not pair.alike:
            continue
        sizes = _sizes(function.traces[earlier[-1]], function.traces[place])
        odd = [c for c in pair.constants if c.dtype.startswith(FLOATS) and not (c.of_gradient or is_of_sizes(c, sizes))]
        if len(odd) > told:
            return [_DIFFER.format(_listed(odd))]
    return []


def _listed(constants: Sequence[Constant]) -> str:
    what = f"a constant of {constants[0].dtype}" if len(constants) == 1 else f"{len(constants)} constants"
    numbers = [(one.old, one.new) for one in constants if isinstance(one.old, float) and isinstance(one.new, float)]
    # those that others are computed of, as `1 / (1 - rate)`, have the fewest digits
    shown = min((f"{old:g} and {new:g}" for old, new in numbers), key=len, default="")
    such = "" if len(constants) == 1 else "such as "
    return f"{what} ({such}{shown})" if shown else what


def _sizes(one: Traced, other: Traced) -> list[tuple[int, int]]:
    """In the order of the arguments' dimensions, where both have as many."""
    before, now = ([size for shape in _shapes(trace) for size in shape] for trace in (one, other))
    return list(dict.fromkeys(zip(before, now, strict=True))) if len(before) == len(now) else []


def _shapes(trace: Traced) -> list[tuple[int, ...]]:
    leaves = (leaf for name, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(name, node))
    return [leaf.shape for leaf in leaves if leaf.shape is not None]
