"""Where one size decides what is built, as of the texts that a loop goes over, and the batch's decides nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import islice, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.unrolled import is_built_otherwise, other_shapes
from tb_retrace_plugin.explain.advice.shapes.built_by_size import built_by_size
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves

#: Pairs of which graphs are read.
_MOST_PAIRS = 8


def size_beyond_the_batch(function: FunctionFacts, paths: Sequence[str]) -> str:
    """The clause on the size that decides; "" if none is known to, or the first dimension of the tensors at `paths`
    does, or may: traces that it alone tells apart have the same graph."""
    return str(function.graphs.once(("beyond the batch", *paths), lambda: _found(function, paths)))


def _found(function: FunctionFacts, paths: Sequence[str]) -> str:
    if not paths or not (clause := built_by_size(function, paths)):
        return ""
    groups = alike_but_for(function, paths, _beyond_the_batch)
    pairs = ((one, other) for group in groups for one, other in pairwise(group) if other_shapes(paths, one, other))
    found = list(islice(pairs, _MOST_PAIRS))
    for one, other in found:
        pair = function.graphs.compare(one[0], other[0])
        if is_built_otherwise(function, one[0], other[0]) or pair is None or pair.attribute or pair.numbers:
            return ""
    return clause if found else ""


def sizes_beyond_the_batch(signature: Signature) -> tuple[tuple[int, ...] | None, ...]:
    leaves = [leaf for path, node in signature.arguments for _, leaf in iter_leaves(path, node)]
    return tuple(None if leaf.shape is None else leaf.shape[1:] for leaf in leaves)


def _beyond_the_batch(node: Node) -> Hashable:
    return (node.dtype, len(node.shape), node.shape[1:]) if node.kind == "tensor" and node.shape else node
