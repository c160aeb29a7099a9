"""A dimension that decides what is built, such as one that a Python loop goes over: an unknown one fails there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for_or_first, nodes_clause, of_each_or_all
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed_shapes
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node, shape_text

#: Pairs of which graphs are read.
_MOST_PAIRS = 2
#: Ends a clause on graphs that assign to other ones.
OF_VARIABLES = "variables, which the sizes do not explain"


def unrolled(function: FunctionFacts, paths: Sequence[str], constants: Sequence[str] = ()) -> str:
    """A clause, if traces that nothing but sizes of tensors at `paths` tells apart have graphs of other sizes.

    `constants`: paths of numbers that may be others too, and are known to be mere constants of the graphs.
    """
    return str(
        function.graphs.once(
            ("unrolled", *paths, "beside", *constants),
            lambda: of_each_or_all(paths, lambda some: _unrolled(function, some, constants)),
        )
    )


def _unrolled(function: FunctionFacts, paths: Sequence[str], constants: Sequence[str]) -> str:
    groups, may_create = alike_but_for_or_first(function, (*paths, *constants), without_sizes_and_numbers)
    for members in groups:
        group = [(place, nodes[: len(paths)]) for place, nodes in members]
        found = [
            (clause, one, other)
            for one, other in pairwise(group)
            # `if self.is_train:` may build something else in both, whatever the sizes are
            if (clause := other_shapes(paths, one, other)) and not values_read_anew(function, one[0], other[0])
        ]
        others = (pair for pair in found if is_built_otherwise(function, pair[1][0], pair[2][0], may_create))
        differ = list(islice(others, _MOST_PAIRS))
        if not differ:
            continue
        # what happens but once, such as what the first call builds, is not of a size's doing, if that has changed again
        axes = _axes(*differ[0][1:])
        if len(differ) == 1 and sum(not axes.isdisjoint(_axes(one, other)) for _, one, other in found) > 1:
            continue
        if not any(assigned_to_others(function, one, other) for _, one, other in differ):
            shapes, one, other = differ[0]
            return nodes_clause(shapes, function.traces[one[0]].nodes, function.traces[other[0]].nodes)
    return ""


def is_built_otherwise(function: FunctionFacts, one: int, other: int, may_create: bool = False) -> bool:
    """Not where tensors are of one shape by chance, for which TensorFlow computes gradients in another way; nor where
    one of them creates variables, as far as that `may` be."""
    if not has_other_nodes(function, one, other):
        return False
    pair = function.graphs.compare(one, other)
    return not may_create if pair is None else not (pair.gradients_alone or (may_create and pair.creates))


def _axes(one: Member, other: Member) -> set[tuple[int, int]]:
    """Of which tensors, by their places, which dimensions are of another size."""
    return {
        (place, axis)
        for place, (a, b) in enumerate(zip(one[1], other[1], strict=True))
        for axis, (before, now) in enumerate(zip(a.shape or (), b.shape or (), strict=False))
        if before != now
    }


def has_other_nodes(function: FunctionFacts, one: int, other: int) -> bool:
    """Whether two traces' graphs do, and not for how TensorFlow makes large constants alone."""
    if function.traces[one].nodes == function.traces[other].nodes:
        return False
    pair = function.graphs.compare(one, other)
    return pair is None or not pair.filled


def assigned_to_others(function: FunctionFacts, one: Member, other: Member) -> str:
    """The end of a clause, if the graphs assign to other variables: a loop over a dimension assigns to the same, or to
    as many more for each one that this is larger."""
    pair = function.graphs.compare(one[0], other[0])
    if pair is None or pair.assigned[0] == pair.assigned[1]:
        return ""
    sizes = [
        now - before
        for a, b in zip(one[1], other[1], strict=True)
        for before, now in zip(a.shape or (), b.shape or (), strict=False)
    ]
    more = pair.assigned[1] - pair.assigned[0]
    if any(size and more * size > 0 and more % size == 0 for size in sizes):
        return ""
    return f"assign to {pair.assigned[0]:,} and {pair.assigned[1]:,} {OF_VARIABLES}"


def without_sizes(node: Node) -> Hashable:
    return (node.dtype, len(node.shape)) if node.kind == "tensor" and node.shape is not None else node


def without_sizes_and_numbers(node: Node) -> Hashable:
    return node.type_name if is_number(node) else without_sizes(node)


def other_shapes(paths: Sequence[str], one: Member, other: Member, *, least: int = 2) -> str:
    """``shapes (2, 4) and (2, 6) of `x` ``. "" where a size is less: of 1 or 0 TensorFlow itself builds something else,
    because it is broadcast or there is nothing."""
    texts = []
    for path, a, b in zip(paths, one[1], other[1], strict=True):
        sizes = [pair for pair in zip(a.shape or (), b.shape or (), strict=True) if pair[0] != pair[1]]
        if any(min(pair) < least for pair in sizes):
            return ""
        if sizes:
            texts.append(f"{shape_text(a.shape)} and {shape_text(b.shape)} of `{path}`")
    return f"shapes {listed_shapes(texts)}" if texts else ""
