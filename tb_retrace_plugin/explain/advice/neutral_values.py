"""A tensor for a key that is missing in some calls: its shape there, by what the calls that have it show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.code import shape_code, spec_code
from tb_retrace_plugin.schema.signature import Node


@dataclass(frozen=True, slots=True)
class Neutral:
    """`like`, `dimensions`: the key of a tensor beside it, of whose first dimensions there are so many; "": `shape`."""

    dtype: str
    shape: tuple[int, ...]
    like: str = ""
    dimensions: int = 0
    has_the_dtype: bool = False

    def code(self, container: str) -> str:
        other, dtype = f"{container}{self.like}", f"tf.{self.dtype}"
        make = "tf.zeros" if self.dtype == "string" else "tf.ones"
        rest = self.shape[self.dimensions :]
        if not self.like:
            return f"{make}({shape_code(self.shape)}, {dtype})"
        if self.dimensions == len(self.shape) and self.has_the_dtype:
            return f"{make}_like({other})"
        first = f"tf.shape({other})[:{self.dimensions}]"
        if rest:
            first = f"tf.concat([{first}, {shape_code(rest)}], 0)"
        return f"{make}({first}, {dtype})"


def neutral(dictionaries: Sequence[Node], key: str) -> Neutral | None:
    """None where no one shape, and none of a tensor beside it, fits the calls that have the key."""
    having = [beside for node in dictionaries if key in (beside := dict(node.children))]
    having = [beside for beside in having if beside[key].kind == "tensor"]  # it can be None as well
    lacking = [beside for node in dictionaries if key not in (beside := dict(node.children))]
    shapes = [beside[key].shape for beside in having]
    if not having or not all(spec_code(beside[key]) for beside in having):
        return None
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes) or len({len(shape) for shape in known}) > 1:
        return None
    first = having[0][key]
    fixed = Neutral(first.dtype, known[0])
    is_one = len(set(known)) == 1 and -1 not in known[0]
    best = _beside(having, lacking, key, known, first.dtype)
    if best is None:
        return fixed if is_one else None
    fits = [beside[best.like].shape or () for beside in lacking]
    if is_one and all(shape[: best.dimensions] == known[0][: best.dimensions] for shape in fits):
        return fixed
    return best


def _beside(
    having: Sequence[dict[str, Node]], lacking: Sequence[dict[str, Node]], key: str, shapes: Sequence[tuple[int, ...]],
    dtype: str,
) -> Neutral | None:  # fmt: skip
    """The tensor that shares the most first dimensions with it in all calls that have both, and is in all others."""
    best: Neutral | None = None
    for other in having[0]:
        nodes = [beside.get(other) for beside in (*having, *lacking)]
        theirs = [node.shape for node in nodes if node is not None and node.kind == "tensor" and node.shape]
        if other == key or len(theirs) != len(nodes):
            continue
        dimensions = min(
            next((i for i, (a, b) in enumerate(zip(own, its, strict=False)) if a != b), min(len(own), len(its)))
            for own, its in zip(shapes, theirs, strict=False)
        )
        rests = {shape[dimensions:] for shape in shapes}
        if not dimensions or len(rests) > 1 or -1 in next(iter(rests)):
            continue
        same = all(node is not None and node.dtype == dtype and len(node.shape or ()) == dimensions for node in nodes)
        found = Neutral(dtype, shapes[0], other, dimensions, same)
        if best is None or (found.dimensions, found.has_the_dtype) > (best.dimensions, best.has_the_dtype):
            best = found
    return best
