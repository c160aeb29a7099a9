"""Where one size decides what is built, as of the texts that a loop goes over, and the batch's decides nothing."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import islice, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import sizes_asked_for
from tb_retrace_plugin.explain.advice.evidence.unrolled import is_built_otherwise, other_shapes
from tb_retrace_plugin.explain.advice.shapes.built_by_size import built_by_size
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves

_FOLLOW = (
    "For other batch sizes the graphs hold other numbers, which follow them: where Python computes these (`.shape`,"
    " `len`), the trace fails once the size is unknown, or gives other results. There it is `tf.shape(…)[0]`, which"
    " `tf.cast` makes a fraction."
)
#: Pairs of which graphs are read.
_MOST_PAIRS = 8


def size_beyond_the_batch(function: FunctionFacts, paths: Sequence[str]) -> str:
    """The clause on the size that decides; "" if none is known to, or the first dimension of the tensors at `paths`
    does, or may: traces that it alone tells apart have the same graph."""
    return str(function.graphs.once(("beyond the batch", *paths), lambda: _found(function, paths)))


def _found(function: FunctionFacts, paths: Sequence[str]) -> str:
    if not paths or not (clause := built_by_size(function, paths)):
        return ""
    found = _pairs(function, paths)
    for one, other in found:
        pair = function.graphs.compare(one[0], other[0])
        if is_built_otherwise(function, one[0], other[0]) or pair is None or pair.attribute or pair.numbers:
            return ""
    return clause if found else ""


def _pairs(function: FunctionFacts, paths: Sequence[str]) -> list[tuple[Member, Member]]:
    """That the first dimension alone tells apart."""
    groups = alike_but_for(function, paths, _beyond_the_batch)
    pairs = ((one, other) for group in groups for one, other in pairwise(group) if other_shapes(paths, one, other))
    return list(islice(pairs, _MOST_PAIRS))


def asked_of_the_batch(
    function: FunctionFacts, kinds: Sequence[Sequence[Traced]], paths: Sequence[str]
) -> list[str]:  # fmt: skip
    """Notes on what its source asks of the batch's size. `kinds`: traces that all other sizes are known in."""
    told = [sizes_asked_for(replace(function, traces=traces), paths) for traces in kinds]
    notes = list(dict.fromkeys(filter(None, told)))
    return notes or ([_FOLLOW] if any(_holds_sizes(function, *pair) for pair in _pairs(function, paths)) else [])


def _holds_sizes(function: FunctionFacts, one: Member, other: Member) -> bool:
    """Whether the graphs hold numbers that are as the first sizes are, or as fractions of them."""
    pair = function.graphs.compare(one[0], other[0])
    own = [c for c in pair.constants if not (c.of_gradient or c.is_asked_for or c.is_like)] if pair is not None else []
    sizes = {(a.shape[0], b.shape[0]) for a, b in zip(one[1], other[1], strict=True) if a.shape and b.shape}
    return any(
        old != new and any(old * now == new * before or old * before == new * now for before, now in sizes)
        for constant in own
        for old, new in zip(_numbers(constant.old), _numbers(constant.new), strict=False)
    )


def _numbers(value: object) -> list[float]:
    return [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, int | float)]


def sizes_beyond_the_batch(signature: Signature) -> tuple[tuple[int, ...] | None, ...]:
    leaves = [leaf for path, node in signature.arguments for _, leaf in iter_leaves(path, node)]
    return tuple(None if leaf.shape is None else leaf.shape[1:] for leaf in leaves)


def _beyond_the_batch(node: Node) -> Hashable:
    return (node.dtype, len(node.shape), node.shape[1:]) if node.kind == "tensor" and node.shape else node
