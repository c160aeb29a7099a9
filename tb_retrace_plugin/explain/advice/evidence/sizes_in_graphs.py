"""Constants of graphs that follow the sizes of tensors: Python computes them, and cannot where a size is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for_or_first
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import sizes_asked_for
from tb_retrace_plugin.explain.advice.evidence.unrolled import other_shapes, without_sizes, without_sizes_and_numbers

FLOATS = ("float", "bfloat")
#: Dimensions whose products are tried.
_MOST_SIZES = 6
#: Pairs of which graphs are read.
_MOST_PAIRS = 2


def told_of_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A note on what fails or does something else where sizes of tensors at `paths` are unknown; "" if nothing."""
    return (
        computed_of_sizes(function, paths)
        or sizes_asked_for(function, paths)
        or _told_of_a_constant(function, paths)
        or str(function.graphs.once(("reshaped", *paths), lambda: _reshaped_by_sizes(function, paths)))
    )


def _told_of_a_constant(function: FunctionFacts, paths: Sequence[str]) -> str:
    size = _size_that_is_a_constant(function, paths)
    if size is None:
        return ""
    path, axis, is_made_as_large = size
    if is_made_as_large:
        return (
            f"In the graphs something is made as large as dimension {axis} of `{path}`, as `tf.ones` makes it: a size"
            " that the code asks for by `.shape` is None then, and by `tf.shape` it is not."
        )
    of_len = " `len(…)` is a tensor then, which neither `tf.constant` nor NumPy takes." if axis == 0 else ""  # measured
    return (
        f"In the graphs the size of dimension {axis} of `{path}` is a constant: `.shape[{axis}]`, if the code asks for"
        f" that, is None then, and `tf.shape(…)[{axis}]` is not.{of_len}"
    )


def _reshaped_by_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `tf.reshape(h, [-1, h.shape[1] * h.shape[2], 4])`, wherever `h` comes from: a layer's result, say."""
    groups = alike_but_for_or_first(function, paths, without_sizes)[0]
    for one, other in (pair for group in groups for pair in list(pairwise(group))[:_MOST_PAIRS]):
        shapes = other_shapes(paths, one, other)
        pair = function.graphs.compare(one[0], other[0]) if shapes else None
        for constant in pair.constants if pair is not None and pair.alike else ():
            if not constant.of_reshape or constant.of_gradient or not _is_of_several(constant, one, other):
                continue
            old, new = (str(list(shape)) for shape in (constant.old, constant.new))
            return (
                f"For {shapes} a tensor is reshaped to {old} and {new}, which follow the sizes: where Python computes"
                " them (`h.shape[1] * h.shape[2]`, also of what a layer gives), the trace fails once they are unknown."
                " There it is `tf.shape(h)[1] * tf.shape(h)[2]`."
            )
    return ""


def _is_of_several(constant: Constant, one: Member, other: Member) -> bool:
    """Whether one of its numbers is a product of sizes that differ, times something that stays."""
    both = [zip(a.shape or (), b.shape or (), strict=False) for a, b in zip(one[1], other[1], strict=False)]
    sizes = [pair for pairs in both for pair in pairs if pair[0] != pair[1]][:_MOST_SIZES]
    chosen = [some for count in range(1, len(sizes) + 1) for some in combinations(sizes, count)]
    products = {(math.prod(a for a, _ in some), math.prod(b for _, b in some)) for some in chosen}
    numbers = [pair for pair in _pairs_of(constant) if None not in pair and pair[0] != pair[1]]
    return any(old * after == new * before for old, new in numbers for before, after in products)


def computed_of_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A note, if traces that nothing but sizes at `paths` tells apart hold fractions, or bounds of slices, that
    follow them: TensorFlow makes none of sizes but for gradients."""
    return str(function.graphs.once(("of sizes", *paths), lambda: _computed_of_sizes(function, paths)))


def _computed_of_sizes(function: FunctionFacts, paths: Sequence[str]) -> str:
    groups = alike_but_for_or_first(function, paths, without_sizes)[0] if paths else []
    pairs = (pair for group in groups for pair in pairwise(group))
    alike = [(one, other) for one, other in pairs if function.traces[one[0]].nodes == function.traces[other[0]].nodes]
    for one, other in alike[:_MOST_PAIRS]:
        shapes = other_shapes(paths, one, other)
        graphs = (
            function.graphs.compare(one[0], other[0])
            if shapes and not values_read_anew(function, one[0], other[0])
            else None
        )
        for constant in graphs.constants if graphs is not None and graphs.alike else ():
            places = _sizes_that_it_follows(constant, paths, one, other)
            if places and not (constant.of_slice and function.drawn):  # what is counted in Python may be such a bound
                named = " or ".join(f"`{path}`" for path in list(places)[:3])
                path, axes = next(iter(places.items()))
                instead = " * ".join(f"tf.shape({path})[{axis}]" for axis in axes)
                size, is_ = ("size", "is") if len(axes) == 1 else ("sizes", "are")
                cast = "" if constant.of_slice else ", which `tf.cast` makes a fraction"
                return (
                    f"For {shapes} the graphs hold {_shown(constant)}, which follow the {size}: where Python computes"
                    f" them of the shape of {named} (`.shape`, `len`), the trace fails once the {size} {is_} unknown,"
                    f" or gives other results. There it is `{instead}`{cast}."
                )
    return ""


def _size_that_is_a_constant(function: FunctionFacts, paths: Sequence[str]) -> tuple[str, int, bool] | None:
    """A path and a dimension of which the sizes are constants of the graphs, as `x.shape[0]` makes it one, or
    (`True`) that of constants; or None."""
    found: tuple[str, int, bool] | None = function.graphs.once(("size", *paths), lambda: _find_size(function, paths))
    return found


def _find_size(function: FunctionFacts, paths: Sequence[str]) -> tuple[str, int, bool] | None:
    if found := _find_size_beside(function, paths, ()):
        return found
    changed = dict.fromkeys(change.path for _, change in function.with_cause("python_value"))
    numbers = [path for path in changed if path not in paths]
    return _find_size_beside(function, paths, numbers) if numbers else None


def _find_size_beside(
    function: FunctionFacts, paths: Sequence[str], numbers: Sequence[str]
) -> tuple[str, int, bool] | None:
    """`numbers`: paths of such as may be others, too."""
    masked = without_sizes_and_numbers if numbers else without_sizes
    for group in alike_but_for_or_first(function, (*paths, *numbers), masked)[0]:
        for one, other in list(pairwise(group))[:_MOST_PAIRS]:
            pair = function.graphs.compare(one[0], other[0])
            if pair is None or not pair.alike:
                continue
            whole = [
                c
                for c in pair.constants
                if c.dtype in ("int32", "int64") and not (c.of_gradient or c.resized or c.is_asked_for)
            ]
            held = {sizes for constant in whole for sizes in _pairs_of(constant)}
            passed = zip(one[1][len(paths) :], other[1][len(paths) :], strict=True)
            theirs = {(a.value, b.value) for a, b in passed}  # what a number has as well may be of that
            held = {sizes for sizes in held if tuple(map(str, sizes)) not in theirs}
            others = [
                (path, axis, sizes)
                for path, a, b in zip(paths, one[1], other[1], strict=False)
                for axis, sizes in enumerate(zip(a.shape or (), b.shape or (), strict=False))
                if sizes[0] != sizes[1]
            ]
            for path, axis, sizes in others:
                if sizes in held:
                    return path, axis, False
            if (
                len(others) == 1
                and not numbers
                and any(c.resized and not (c.of_gradient or c.is_like) for c in pair.constants)
            ):
                return others[0][0], others[0][1], True
    return None


def _pairs_of(constant: Constant) -> list[tuple[Any, Any]]:
    if isinstance(constant.old, tuple) and isinstance(constant.new, tuple):
        return list(zip(constant.old, constant.new, strict=False))
    return [(constant.old, constant.new)]


def _sizes_that_it_follows(
    constant: Constant, paths: Sequence[str], one: Member, other: Member
) -> dict[str, tuple[int, ...]]:
    """Path -> dimension, or all that change of one that is no slice, where nothing follows one alone."""
    if constant.of_gradient or not (constant.dtype.startswith(FLOATS) or constant.of_slice):
        return {}
    old, new = constant.old, constant.new
    is_slice = constant.of_slice
    if is_slice:
        bounds = _bounds(constant)
        if bounds is None or not bounds[0]:
            return {}
        constant = Constant(constant.dtype, float(bounds[0]), float(bounds[1]))
    elif isinstance(old, tuple) and isinstance(
        new, tuple
    ):  # such as `np.arange(len(x))`; TensorFlow fills with one value
        if len(old) == len(new) or min(len(set(old)), len(set(new))) < 2:
            return {}
        constant = Constant(constant.dtype, float(len(old)), float(len(new)))
    elif not (isinstance(old, float) and isinstance(new, float) and old):
        return {}
    found: dict[str, tuple[int, ...]] = {}
    several: dict[str, tuple[int, ...]] = {}
    for path, a, b in zip(paths, one[1], other[1], strict=True):
        pairs = enumerate(zip(a.shape or (), b.shape or (), strict=False))
        changed = [(axis, pair) for axis, pair in pairs if pair[0] != pair[1]]
        for axis, (before, now) in changed:
            if path in found or not is_of_sizes(constant, [(before, now)]):
                continue
            if not is_slice or (constant.old < constant.new) == (before < now):  # no slice ends later of fewer
                found[path] = (axis,)
        if len(changed) > 1 and not is_slice and is_of_sizes(constant, [pair for _, pair in changed]):  # `h * w`
            several[path] = tuple(axis for axis, _ in changed)
    return found or several


def _bounds(constant: Constant) -> tuple[int, int] | None:
    """Of the first dimension in which the slice ends elsewhere."""
    if not isinstance(constant.old, tuple) or not isinstance(constant.new, tuple):
        return None
    return next(((a, b) for a, b in zip(constant.old, constant.new, strict=False) if a != b), None)


def _shown(constant: Constant) -> str:
    if constant.of_slice and (bounds := _bounds(constant)):
        return f"slices up to {bounds[0]} and {bounds[1]}"
    if isinstance(constant.old, tuple):
        return f"arrays of {len(constant.old)} and {len(constant.new)} numbers"
    return f"the numbers {constant.old:g} and {constant.new:g}"


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
