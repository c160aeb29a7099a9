"""A dataset's last batch, as a signature shows it: the first dimension alone is another, and smaller."""

from __future__ import annotations

from collections.abc import Iterator

from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves


def is_smaller_batch(before: Signature, now: Signature) -> bool:
    """Whether nothing differs but the first dimension of tensors, smaller than before and of one size now, and one of
    those tensors has more dimensions than it (a vector's length need not be a batch's)."""
    if before.context != now.context or before.captures != now.captures:
        return False
    old, new = list(_leaves(before)), list(_leaves(now))
    if [path for path, _ in old] != [path for path, _ in new]:
        return False
    differing = [(a, b) for (_, a), (_, b) in zip(old, new, strict=True) if a != b]
    if not differing or not all(_differ_in_the_first(a, b) for a, b in differing):
        return False
    sizes = {((a.shape or ())[0], (b.shape or ())[0]) for a, b in differing}
    ((was, is_now),) = sizes if len(sizes) == 1 else [(0, 0)]
    return 0 < is_now < was and any(len(b.shape or ()) > 1 for _, b in differing)


def _leaves(signature: Signature) -> Iterator[tuple[str, Node]]:
    for path, node in signature.arguments:
        yield from iter_leaves(path, node)


def _differ_in_the_first(a: Node, b: Node) -> bool:
    if a.kind != "tensor" or b.kind != "tensor" or (a.dtype, a.value) != (b.dtype, b.value):
        return False
    return bool(a.shape and b.shape) and a.shape[1:] == b.shape[1:]  # type: ignore[index]
