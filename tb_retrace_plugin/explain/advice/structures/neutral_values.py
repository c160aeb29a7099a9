"""What can stand for a key that is missing in some calls: of what shape, by what the calls that have it show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tb_retrace_plugin.explain.advice.evidence.key_defaults import is_a_number
from tb_retrace_plugin.explain.advice.source.code import shape_code, spec_code
from tb_retrace_plugin.schema.signature import Node, iter_leaves

_CONTAINERS = frozenset({"dict", "list", "tuple"})


@dataclass(frozen=True, slots=True)
class Neutral:
    """`node`: as lookups show it. `tensors`: of its leaves that are, by their paths below the key; "": it is one."""

    node: Node
    tensors: Mapping[str, NeutralTensor]

    @property
    def is_of_one_shape(self) -> bool:
        """Whether it is a tensor, of the same shape in all calls."""
        return self.node.kind == "tensor" and not self.tensors[""].like

    def with_added(self, are_added: Callable[[str], bool]) -> Neutral:
        """`are_added`: of each tensor's path below the key."""
        return replace(
            self, tensors={below: replace(one, is_added=are_added(below)) for below, one in self.tensors.items()}
        )

    def with_default(self, written: str) -> Neutral | None:
        """None if it is no tensor that a number is a value for, or this is none."""
        if self.node.kind != "tensor" or not is_a_number(written) or self.node.dtype in ("string", "bool"):
            return None
        if self.node.dtype.startswith(("int", "uint")) and not written.lstrip("-").isdigit():
            return None
        return replace(self, tensors={"": replace(self.tensors[""], written=written)})

    def shaped_like(self, key: str) -> dict[str, tuple[str, int]]:
        return {key + below: (one.like, one.dimensions) for below, one in self.tensors.items() if one.like}

    def code(self, container: str) -> str:
        return self._code(self.node, "", container)

    def _code(self, node: Node, below: str, container: str) -> str:
        if below in self.tensors:
            return self.tensors[below].code(container)
        parts = [(key[1:-1], self._code(child, below + key, container)) for key, child in node.children]
        if node.kind == "dict":
            return "{" + ", ".join(f"{key}: {code}" for key, code in parts) + "}"
        codes = ", ".join(code for _, code in parts)
        if node.kind == "list":
            return f"[{codes}]"
        return "None" if not parts else f"({codes},)" if len(parts) == 1 else f"({codes})"


@dataclass(frozen=True, slots=True)
class NeutralTensor:
    """`like`, `dimensions`: the key of a tensor beside it, of whose first dimensions there are so many; "": `shape`.

    `is_added`: the graphs do nothing else with it. `written`: what the code itself takes where there is none; "": it is
    not known to.
    """

    dtype: str
    shape: tuple[int, ...]
    like: str = ""
    dimensions: int = 0
    has_the_dtype: bool = False
    is_added: bool = False
    written: str = ""

    def code(self, container: str) -> str:
        if self.written:
            return self._code_of_what_is_written(container)
        other, dtype = f"{container}{self.like}", f"tf.{self.dtype}"
        make = "tf.zeros" if self.dtype == "string" or self.is_added else "tf.ones"
        rest = self.shape[self.dimensions :]
        if not self.like:
            return f"{make}({shape_code(self.shape)}, {dtype})"
        if self.dimensions == len(self.shape) and self.has_the_dtype:
            return f"{make}_like({other})"
        first = f"tf.shape({other})[:{self.dimensions}]"
        if rest:
            first = f"tf.concat([{first}, {shape_code(rest)}], 0)"
        return f"{make}({first}, {dtype})"

    def _code_of_what_is_written(self, container: str) -> str:
        if not self.like and not self.shape:
            return f"tf.constant({self.written}, tf.{self.dtype})"
        value = float(self.written)
        made = replace(self, written="", is_added=value == 0).code(container)
        return made if value in (0, 1) else f"{self.written} * {made}"


def neutral_value(dictionaries: Sequence[Node], key: str) -> Neutral | None:
    """None where it is not known: any Python value but None is a part of the signature."""
    having = [beside[key] for node in dictionaries if key in (beside := dict(node.children))]
    node = next((node for node in having if node.kind in ("tensor", *_CONTAINERS) or _is_none(node)), None)
    if node is None or (node.kind in _CONTAINERS and not node.children):
        return None
    leaves = dict(iter_leaves("", node))
    flat = [_flattened(dictionary, key) for dictionary in dictionaries]
    tensors = {below: _neutral(flat, key + below) for below, leaf in leaves.items() if leaf.kind == "tensor"}
    known = {below: tensor for below, tensor in tensors.items() if tensor is not None}
    if any(below not in known and not _is_none(leaf) for below, leaf in leaves.items()):
        return None
    return Neutral(node, known)


def _is_none(node: Node) -> bool:
    return node.kind == "literal" and node.value == "None"


def _flattened(dictionary: Node, key: str) -> Node:
    """With the leaves of what it has at `key` in its place, so that these are beside the others."""
    children: list[tuple[str, Node]] = []
    for other, child in dictionary.children:
        children += iter_leaves(key, child) if other == key else [(other, child)]
    return replace(dictionary, children=tuple(children))


def _neutral(dictionaries: Sequence[Node], key: str) -> NeutralTensor | None:
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
    fixed = NeutralTensor(first.dtype, known[0])
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
) -> NeutralTensor | None:  # fmt: skip
    """The tensor that shares the most first dimensions with it in all calls that have both, and is in all others."""
    best: NeutralTensor | None = None
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
        found = NeutralTensor(dtype, shapes[0], other, dimensions, same)
        if best is None or (found.dimensions, found.has_the_dtype) > (best.dimensions, best.has_the_dtype):
            best = found
    return best
