"""Shapes that are near: the one padded to the other is at most a third padding.

Where each shape needs a graph of its own (under XLA, or where unknown dimensions fail), sizes that are far apart may be
the few that a program pads to: a recording does not tell. Near ones are more than a program needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node, Signature

_MOST_PADDING = 1 / 3


def are_near(one: int, other: int) -> bool:
    small, large = sorted((one, other))
    return small >= 0 and large - small <= _MOST_PADDING * large


def all_far(sizes: Iterable[int]) -> bool:
    """Whether no two of these sizes, ascending, are near."""
    return not any(are_near(a, b) for a, b in pairwise(sizes))


def far_apart(sizes: Iterable[int]) -> tuple[int, ...]:
    """The largest, and below each the next that is not near it: each size is near the first that holds it."""
    found: list[int] = []
    for size in sorted(sizes, reverse=True):
        if not found or not are_near(size, found[-1]):
            found.append(size)
    return tuple(reversed(found))


def differ_by_near_sizes(one: Signature, other: Signature) -> bool:
    """Whether nothing differs but sizes of tensors' dimensions, which are near, and Python numbers, which can be
    tensors: whether one can is judged beside the sizes."""
    pairs, others = one.arguments + one.captures, other.arguments + other.captures
    if len(pairs) != len(others) or one.context != other.context:
        return False
    return all(a[0] == b[0] and _near(a[1], b[1]) for a, b in zip(pairs, others, strict=True))


def _near(one: Node, other: Node) -> bool:
    if one == other or (is_number(one) and is_number(other)):
        return True
    bare, other_bare = replace(one, shape=None, children=()), replace(other, shape=None, children=())
    keys = [key for key, _ in one.children] == [key for key, _ in other.children]
    if bare != other_bare or not keys or (one.shape is None) != (other.shape is None):
        return False
    sizes, other_sizes = one.shape or (), other.shape or ()
    if len(sizes) != len(other_sizes) or not all(map(are_near, sizes, other_sizes)):
        return False
    return all(_near(a, b) for (_, a), (_, b) in zip(one.children, other.children, strict=True))
