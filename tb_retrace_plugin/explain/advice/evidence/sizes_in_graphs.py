"""Constants of graphs that follow the sizes of tensors: Python computes them, and cannot where a size is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.advice.evidence.unrolled import other_shapes, without_sizes

FLOATS = ("float", "bfloat")
#: Dimensions whose products are tried.
_MOST_SIZES = 6
#: Pairs of which graphs are read.
_MOST_PAIRS = 2


def computed_of_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A sentence, if traces that nothing but sizes at `paths` tells apart hold fractions that follow them: TensorFlow
    makes none of sizes but for gradients."""
    return str(function.graphs.once(("of sizes", *paths), lambda: _computed_of_sizes(function, paths)))


def _computed_of_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    pairs = (pair for group in alike_but_for(function, paths, without_sizes) if paths for pair in pairwise(group))
    alike = [(one, other) for one, other in pairs if function.traces[one[0]].nodes == function.traces[other[0]].nodes]
    for one, other in alike[:_MOST_PAIRS]:
        shapes = other_shapes(paths, one, other)
        graphs = function.graphs.compare(one[0], other[0]) if shapes and not read_anew(function, one, other) else None
        for constant in graphs.constants if graphs is not None and graphs.alike else ():
            place = _size_that_it_follows(constant, paths, one, other)
            if place is not None:
                path, axis = place
                return (
                    f" For {shapes} the graphs hold the numbers {constant.old:g} and {constant.new:g}, which follow the"
                    f" size: where Python computes them of `{path}.shape` or `len({path})`, the trace fails once the"
                    f" size is unknown; `tf.cast(tf.shape({path})[{axis}], tf.{constant.dtype})` has to take its place."
                )
    return ""


def _size_that_it_follows(
    constant: Constant, paths: Sequence[str], one: Member, other: Member
) -> tuple[str, int] | None:
    if constant.of_gradient or not constant.dtype.startswith(FLOATS):
        return None
    if not isinstance(constant.old, float) or not isinstance(constant.new, float) or not constant.old:
        return None
    for path, a, b in zip(paths, one[1], other[1], strict=True):
        for axis, (before, now) in enumerate(zip(a.shape or (), b.shape or (), strict=False)):
            if before != now and is_of_sizes(constant, [(before, now)]):
                return path, axis
    return None


def read_anew(function: FunctionFacts, one: Member, other: Member) -> int:
    """How many names are known by which the later trace has read something else than the earlier one."""
    places = one[0], other[0]
    read = (
        [values[place] for place in places] for values in function.values_read.values() if max(places) < len(values)
    )
    return sum(None not in pair and pair[0] != pair[1] for pair in read)


def is_of_sizes(constant: Constant, sizes: Sequence[tuple[int, int]]) -> bool:
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
