"""A dimension that decides what is built, such as one that a Python loop goes over: an unknown one fails there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for, nodes_clause, of_each_or_all
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.schema.signature import Node, shape_text


def unrolled(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause, if traces that nothing but sizes of tensors at `paths` tells apart have graphs of other sizes."""
    return str(
        function.graphs.once(
            ("unrolled", *paths), lambda: of_each_or_all(paths, lambda some: _unrolled(function, some))
        )
    )


def _unrolled(function: FunctionFacts, paths: Sequence[str]) -> str:
    for group in alike_but_for(function, paths, without_sizes):
        found = [
            (clause, function.traces[one[0]].nodes, function.traces[other[0]].nodes)
            for one, other in pairwise(group)
            if (clause := other_shapes(paths, one, other))
        ]
        differ = [(shapes, before, now) for shapes, before, now in found if before != now]
        # what happens but once, such as what the first call builds, is not of a size's doing
        if differ and (len(differ) > 1 or len(found) == 1):
            shapes, before, now = differ[0]
            return nodes_clause(shapes, before, now)
    return ""


def without_sizes(node: Node) -> Hashable:
    return (node.dtype, len(node.shape)) if node.kind == "tensor" and node.shape is not None else node


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
    return f"shapes {'; '.join(texts[:3])}" if texts else ""
