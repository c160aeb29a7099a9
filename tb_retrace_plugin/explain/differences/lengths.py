"""Lists and tuples of another length: what a graph for each length may be needed for, by what they hold."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.schema.signature import CONTAINERS, Node

#: Of a class that tells TensorFlow itself what its objects are: its fields may choose what is built.
OF_A_CLASS = "of_a_class"
#: Of one shape and dtype: they can be one tensor.
ALIKE = "tensors_alike"
#: What one operation may take as they are (`tf.concat`), or a loop in Python builds something for each of.
UNLIKE = "tensors"

_CLASSES = frozenset({"composite", "custom_nest", "custom", "unknown"})
_MOST_IN_A_BATCH = 3  # x, y and sample weights


def parts_of_length(old: Sequence[Node], new: Sequence[Node]) -> tuple[str, ...]:
    """`parts` of the change from the one to the other."""
    items = [*old, *new]
    if any(map(_holds_a_class, items)):
        return (OF_A_CLASS,)
    if not old or not new or any(item.kind != "tensor" for item in items):
        return ()
    if len({(item.dtype, item.shape) for item in items}) == 1:
        return (ALIKE,)
    return () if _are_batches(*sorted((old, new), key=len)) else (UNLIKE,)


def grows_by_more(change: Change, more_nodes: int) -> bool:
    """Whether the graphs differ in more nodes than in the tensors that are passed, where those are what is longer.

    One operation that takes all is one node for any number of them; of one alone TensorFlow may make another.
    """
    return abs(more_nodes) > abs(_longer_by(change)) + 1


def is_of_longer_lists(changes: Sequence[Change], more_nodes: int) -> bool:
    """Whether the graphs differ in as many nodes as in the tensors that are passed in lists, each of which has one."""
    by = [_longer_by(c) for c in changes if c.cause == "structure" and {ALIKE, UNLIKE} & {*c.parts}]
    return bool(by) and sum(by) == more_nodes


def _longer_by(change: Change) -> int:
    old, new = (next((int(word) for word in text.split() if word.isdecimal()), 0) for text in (change.old, change.new))
    return new - old


def _holds_a_class(node: Node) -> bool:
    if node.kind in _CLASSES:
        return True
    return node.kind in CONTAINERS and any(_holds_a_class(child) for _, child in node.children)


def _are_batches(short: Sequence[Node], long: Sequence[Node]) -> bool:
    """Whether they look like (x, y) and (x, y, sample_weight): as many examples of each, and one part left out."""
    if len(long) > _MOST_IN_A_BATCH or len(long) - len(short) != 1:
        return False
    if any(not item.shape for item in long) or len({item.shape[0] for item in long if item.shape}) > 1:
        return False
    pictures = {len(item.shape or ()) for item in long}
    if len(pictures) == 1 and min(pictures) > 2:  # such as feature maps of several sizes
        return False
    pairs = list(zip(short, long, strict=False))
    return all((a.dtype, len(a.shape or ())) == (b.dtype, len(b.shape or ())) for a, b in pairs)
