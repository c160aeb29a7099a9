"""Sizes that are others in each tf.function object, such as an instance's, and the same in all traces of one."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.shapes.open_dimensions import dimensions_of
from tb_retrace_plugin.schema.signature import Node, iter_leaves


def told_of_each_objects_own(function: FunctionFacts, declared: Sequence[tuple[str, Node]]) -> list[str]:
    """A note where one declaration leaves such a size unknown: a model may be made for it. Not of rows of a batch."""
    own = {
        path: axes
        for name, node in declared
        for path, leaf in iter_leaves(name, node)
        if (axes := [axis for axis, size in enumerate(leaf.shape or ()) if axis and size == -1])
        and (axes := [axis for axis in axes if _is_of_each_object(function, path, axis)])
    }
    if not own:
        return []
    told = [f"{dimensions_of(axes)} of `{path}`" for path, axes in list(own.items())[:3]]
    return [
        f"Each tf.function object has one size of {', and of '.join(told)}, and others have another. Where what an"
        " object holds needs to know it, such as a model that is made for it (`Flatten`, `Dense`), declare each by"
        " itself: `tf.function(…, input_signature=…)` where the object is made, in place of the decorator."
    ]


def _is_of_each_object(function: FunctionFacts, path: str, axis: int) -> bool:
    sizes: dict[int, set[int | None]] = {}
    for trace in function.traces:
        node = node_of(trace, path)
        if not trace.lookup.failed and node is not None and node.shape and axis < len(node.shape):
            sizes.setdefault(trace.lookup.object_number, set()).add(node.shape[axis])
    return all(len(found) == 1 for found in sizes.values()) and len(set().union(*sizes.values())) > 1
