"""A rank that decides what is built, such as by `if x.shape.rank == 1`: an unknown one is none of those."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for, nodes_clause, of_each_or_all
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed_shapes
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.verdict.asked_ranks import asked_rank
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves, shape_text


def of_several_ranks(function: FunctionFacts) -> list[str]:
    """Also in traces that cannot be avoided: what the others could be traced as has to serve these ranks, too."""
    return list(dict.fromkeys(c.path for trace in function.traces for c in trace.changes if c.cause == "rank"))


def ranks_of(signature: Signature) -> tuple[int | None, ...]:
    leaves = [leaf for path, node in signature.arguments for _, leaf in iter_leaves(path, node)]
    return tuple(None if leaf.shape is None else len(leaf.shape) for leaf in leaves)


def decided_by_rank(function: FunctionFacts) -> str:
    """A clause, if the code asks for the rank, or traces that ranks alone tell apart have graphs of other sizes.

    For a single number TensorFlow itself builds something else: there is nothing to reduce.
    """
    paths = of_several_ranks(function)
    if not paths:
        return ""
    if asked := asked_rank(function.python_uses, paths):
        return f"The code asks for the rank in Python (`{asked}`)"
    return str(
        function.graphs.once(("ranks", *paths), lambda: of_each_or_all(paths, lambda some: _decided(function, some)))
    )


def _decided(function: FunctionFacts, paths: Sequence[str]) -> str:
    for group in alike_but_for(function, paths, _without_shape):
        first: dict[tuple[int, ...], tuple[int, tuple[Node, ...]]] = {}  # of each combination of ranks
        for place, nodes in group:
            if all(node.shape for node in nodes):
                first.setdefault(tuple(len(node.shape or ()) for node in nodes), (place, nodes))
        members = list(first.values())
        for other, another in members[1:]:
            place, nodes = members[0]
            before = function.traces[place].nodes
            now = function.traces[other].nodes
            if now != before and not values_read_anew(function, members[0][0], other):
                shapes = (
                    f"{shape_text(a.shape)} and {shape_text(b.shape)} of `{path}`"
                    for path, a, b in zip(paths, nodes, another, strict=True)
                )
                return nodes_clause(f"shapes {listed_shapes([*shapes])}", before, now)
    return ""


def _without_shape(node: Node) -> Hashable:
    return node.dtype if node.kind == "tensor" else node
