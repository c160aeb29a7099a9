"""Sizes that are others in each tf.function object, such as an instance's, and the same in all traces of one."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.shapes.open_dimensions import dimensions_of
from tb_retrace_plugin.explain.advice.source.code import shape_code, spec_code
from tb_retrace_plugin.explain.verdict.evidence import OF_OTHER_SHAPES
from tb_retrace_plugin.schema.signature import Node, iter_leaves

#: Beside the line that `declared_by_each` has.
OF_ANY_SIZE = (
    "Where nothing that the object holds needs to know these sizes (`Flatten` and `Dense` do, convolutions do not),"
    " `None` does in place of `…`, and the decorator can have the signature."
)

_IN_INIT = "in `__init__`, in place of the decorator: `…` is its own size"


def told_of_each_objects_own(function: FunctionFacts, declared: Sequence[tuple[str, Node]]) -> list[str]:
    """A note where one declaration leaves such a size unknown: a model may be made for it."""
    own = _own(function, declared)
    if not own:
        return []
    told = [f"{dimensions_of(axes)} of `{path}`" for path, axes in list(own.items())[:3]]
    return [
        f"Each tf.function object has one size of {', and of '.join(told)}, and others have another. Where what an"
        " object holds needs to know it, such as a model that is made for it (`Flatten`, `Dense`), declare each by"
        " itself: `tf.function(…, input_signature=…)` where the object is made, in place of the decorator."
    ]


def declared_by_each(function: FunctionFacts, declared: Sequence[tuple[str, Node]]) -> str:
    """A line for the `__init__`, where variables of the objects have other shapes, too: their models are made for such
    sizes. "" of what is no decorated method."""
    own = _own(function, declared)
    is_a_method = all(path == "self" for path, _ in function.traces[0].lookup.signature.arguments[:1])
    differ = any(trace.evidence.endswith(OF_OTHER_SHAPES) for trace in function.traces)
    names = {name for name, _ in declared}
    if not (own and differ and is_a_method and function.name.isidentifier()) or not own.keys() <= names:
        return ""
    if function.undecorated or function.library or function.passed_as or "self" in names:
        return ""
    codes = []
    for name, node in declared:
        code, shape = spec_code(node), node.shape or ()
        sizes = ["…" if at in own.get(name, ()) else shape_code((size,))[1:-1] for at, size in enumerate(shape)]
        codes.append((code or "").replace(shape_code(node.shape), f"[{', '.join(sizes)}]", 1) if name in own else code)
    name = function.name
    declaration = f"input_signature=[{', '.join(map(str, codes))}]"
    if not (name.startswith("__") and name.endswith("__")):
        return f"self.{name} = tf.function(self.{name}, {declaration})  # {_IN_INIT}"
    beside = f"_{name.strip('_')}"  # Python looks for `__call__` in the class, whatever the object has of that name
    passed = ", ".join(declared_name for declared_name, _ in declared)
    return (
        f"self.{beside} = tf.function(self.{beside}, {declaration})  # {_IN_INIT}\n"
        f"def {beside}(self, {passed}):  # what `{name}` has now\n"
        f"def {name}(self, {passed}): return self.{beside}({passed})"
    )


def _own(function: FunctionFacts, declared: Sequence[tuple[str, Node]]) -> dict[str, list[int]]:
    """Dimensions of which each has one size, by path. Not rows of a batch."""
    return {
        path: axes
        for name, node in declared
        for path, leaf in iter_leaves(name, node)
        if (axes := [axis for axis, size in enumerate(leaf.shape or ()) if axis and size == -1])
        and (axes := [axis for axis in axes if _is_of_each_object(function, path, axis)])
    }


def _is_of_each_object(function: FunctionFacts, path: str, axis: int) -> bool:
    sizes: dict[int, set[int | None]] = {}
    for trace in function.traces:
        node = node_of(trace, path)
        if not trace.lookup.failed and node is not None and node.shape and axis < len(node.shape):
            sizes.setdefault(trace.lookup.object_number, set()).add(node.shape[axis])
    return all(len(found) == 1 for found in sizes.values()) and len(set().union(*sizes.values())) > 1
