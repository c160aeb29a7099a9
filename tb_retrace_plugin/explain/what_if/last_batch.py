"""A dataset's last batch, as a signature shows it: the first dimension alone is another, and smaller."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from tb_retrace_plugin.explain.what_if.replay import BY_PARTS
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves


def smaller_batch(before: Signature, now: Signature) -> tuple[int, int] | None:
    """(size before, size now) where nothing differs but the first dimension of tensors, smaller than before and of one
    size now, and one of those tensors has more dimensions than it (a vector's length need not be a batch's)."""
    if before.context != now.context or before.captures != now.captures:
        return None
    old, new = list(_leaves(before)), list(_leaves(now))
    if [path for path, _ in old] != [path for path, _ in new]:
        return None
    differing = [(a, b) for (_, a), (_, b) in zip(old, new, strict=True) if a != b]
    if not differing or not all(_differ_in_the_first(a, b) for a, b in differing):
        return None
    sizes = {((a.shape or ())[0], (b.shape or ())[0]) for a, b in differing}
    ((was, is_now),) = sizes if len(sizes) == 1 else [(0, 0)]
    return (was, is_now) if 0 < is_now < was and any(len(b.shape or ()) > 1 for _, b in differing) else None


def without_shapes(signature: Signature) -> Hashable:
    """Equal for signatures that differ in nothing but shapes of tensors, ragged and sparse ones included."""
    leaves = [(path, _without_shape(node)) for path, node in _leaves(signature)]
    return tuple(leaves), signature.captures, frozenset(signature.context.items())


def _without_shape(node: Node) -> Node:
    if node.type_name in BY_PARTS and node.kind == "composite":  # its value is a text that has its shape in it
        parts = tuple((key, _without_shape(part)) for key, part in node.children)
        return replace(node, value="", children=parts)
    if node.kind == "object" or (node.kind == "literal" and node.identity):  # what tells it from others
        return replace(node, value="")
    return replace(node, shape=None)


def _leaves(signature: Signature) -> Iterator[tuple[str, Node]]:
    for path, node in signature.arguments:
        yield from iter_leaves(path, node)


def _differ_in_the_first(a: Node, b: Node) -> bool:
    if a.kind != "tensor" or b.kind != "tensor" or (a.dtype, a.value) != (b.dtype, b.value):
        return False
    return bool(a.shape and b.shape) and a.shape[1:] == b.shape[1:]  # type: ignore[index]
