"""Graphs that differ in what other sizes do not explain: each trace reads something anew, and fewer of them do not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY, READ_ANEW
from tb_retrace_plugin.explain.advice.evidence.unrolled import assigned_to_others, other_shapes, without_sizes
from tb_retrace_plugin.explain.advice.shapes.shapes import changing_paths

#: Fixes that let one trace serve several sizes.
_RULES = frozenset({"input_signature", "reduce_retracing", "trace_beforehand", "pad_to_one_shape", "shape_buckets"})
#: Pairs of which graphs are read.
_MOST_PAIRS = 4
#: Dimensions whose products are tried.
_MOST_SIZES = 6
_FLOATS = ("float", "bfloat")


def told_of_other_graphs(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice; first of all what speaks for its changing results, although no value is known that does."""
    if not any(fix.rule in _RULES for fix in fixes) or function.drawn:  # of what is drawn it is told already
        return advice
    clause = differ_in_more(function, changing_paths(function))
    return replace(advice, text=f"{MAY}{clause}.{READ_ANEW}{advice.text}") if clause else advice


def differ_in_more(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause, if traces that nothing but sizes of tensors at `paths` tells apart differ in more than sizes do."""
    return str(function.graphs.once(("more than sizes", *paths), lambda: _differ_in_more(function, paths)))


def _differ_in_more(function: FunctionFacts, paths: Sequence[str]) -> str:
    for group in alike_but_for(function, paths, without_sizes) if paths else []:
        pairs = [(shapes, one, other) for one, other in pairwise(group) if (shapes := other_shapes(paths, one, other))]
        nodes = [(function.traces[one[0]].nodes, function.traces[other[0]].nodes) for _, one, other in pairs]
        differ = [place for place, (before, now) in enumerate(nodes) if before != now]
        # what is unrolled over a dimension is another for each size; and what is known to be read anew is told already
        if len(differ) == 1 and not _read_anew(function, *pairs[differ[0]][1:]):
            before, now = nodes[differ[0]]
            others = ", and those of other shapes do not differ so" if len(pairs) > 1 else ""
            return f"for {pairs[differ[0]][0]} the graphs have {before:,} and {now:,} nodes{others}"
        for place in differ[:_MOST_PAIRS] if len(differ) > 1 else []:
            if assigned := assigned_to_others(function, *pairs[place][1:]):
                return f"for {pairs[place][0]} the graphs {assigned}"
        alike = [pair for pair, (before, now) in zip(pairs, nodes, strict=True) if before == now]
        for shapes, one, other in _spread(alike):
            if said := _compared(function, shapes, one, other):
                return said
    return ""


def _spread(pairs: Sequence[tuple[str, Member, Member]]) -> Iterator[tuple[str, Member, Member]]:
    """The first ones, and some of the later ones: what is read may have stayed the same for a while."""
    places = [0, 1, len(pairs) - 1, len(pairs) // 2]
    yield from (pairs[place] for place in dict.fromkeys(places[:_MOST_PAIRS]) if 0 <= place < len(pairs))


def _compared(function: FunctionFacts, shapes: str, one: Member, other: Member) -> str:
    pair = function.graphs.compare(one[0], other[0])
    if pair is None:
        return ""
    known = _read_anew(function, one, other)
    if not pair.alike:
        return "" if known else f"for {shapes} the graphs have other operations"
    sizes = [
        size for a, b in zip(one[1], other[1], strict=True) for size in zip(a.shape or (), b.shape or (), strict=False)
    ]
    odd = [
        constant
        for constant in pair.constants
        if constant.dtype.startswith(_FLOATS) and not (constant.of_gradient or _is_of_sizes(constant, sizes))
    ]
    if len(odd) <= known:
        return ""
    values = f" ({odd[0].old:g} and {odd[0].new:g})" if len(odd) == 1 and isinstance(odd[0].old, float) else ""
    what = f"a constant of {odd[0].dtype}" if len(odd) == 1 else f"{len(odd)} constants"
    return f"for {shapes} the graphs differ in {what}{values}, which the sizes do not explain"


def _read_anew(function: FunctionFacts, one: Member, other: Member) -> int:
    """How many names are known by which the later trace has read something else than the earlier one."""
    places = one[0], other[0]
    read = (
        [values[place] for place in places] for values in function.values_read.values() if max(places) < len(values)
    )
    return sum(None not in pair and pair[0] != pair[1] for pair in read)


def _is_of_sizes(constant: Constant, sizes: Sequence[tuple[int, int]]) -> bool:
    """Whether its values may well be computed from the sizes, or are not known."""
    old, new = constant.old, constant.new
    if isinstance(old, tuple) and isinstance(new, tuple):  # made of a size; or of the same value for each element
        return len(old) != len(new) or set(old) == set(new)
    if not (isinstance(old, float) and isinstance(new, float) and math.isfinite(old) and math.isfinite(new)):
        return True
    several = sizes[:_MOST_SIZES]
    for count in range(1, len(several) + 1):
        for chosen in combinations(several, count):
            before, now = math.prod(pair[0] for pair in chosen), math.prod(pair[1] for pair in chosen)
            if before > 0 and now > 0 and before != now and _is_power(old, new, before, now):
                return True
    return False


def _is_power(old: float, new: float, before: int, now: int) -> bool:
    """Whether it is the size times something that stays, or its inverse, or a root of these."""
    return any(_close(new * before**power, old * now**power) for power in (1.0, -1.0, 0.5, -0.5))


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-5 * max(abs(one), abs(other))
