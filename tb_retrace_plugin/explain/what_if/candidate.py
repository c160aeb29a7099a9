"""A change to the program as recorded lookups show it, and the arguments that it would pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tb_retrace_plugin.explain.differences.number_holders import range_of
from tb_retrace_plugin.schema.signature import METADATA, Node

#: Fewer numbers may well have a name each, and be unpacked: those are made tensors one by one.
_LONG = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change to the program, as far as lookups show it. Paths are those of leaves: `x`, `batch['mask']`.

    `objects`: function object -> the one in its place. `identities`: (path, identity) -> the identity in its place.
    `numbers`: path -> dtype of the scalar tensor that is passed for a Python number, or for a string.
    `dtypes`: path, of a composite that of its part which has it -> the one dtype.
    `padded`: path -> the one shape. `buckets`: path -> dimension -> sizes, ascending; it is padded to the first that
    holds it, what is larger or unknown stays. `keys`: path of a dictionary -> the children that it always has.
    `shaped_like`: path of such a child -> the key of a tensor beside it, and how many of its first dimensions it has.
    `sequences`: path of a tuple or list -> which of the two it always is. `stacked`: path of a list of numbers, or
    of strings -> dtype of the tensor that is passed for it. `bools`: path -> the Python bool that a tensor of one is.
    `input_signature`: the arguments that are declared; `bound`: those beside them that each function object has one of
    its own for, which a partial binds. `traced_wide`: each is traced with those dimensions unknown that
    differ among lookups that nothing else tells apart; `traced_by_rank`: of each rank apart;
    `traced_by_sizes`: of each of all sizes but those of first dimensions apart.
    `variables_outside`: no call creates variables, which no trace fails from.
    """

    objects: Mapping[int, int] = field(default_factory=dict)
    identities: Mapping[tuple[str, int], int] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[str, str] = field(default_factory=dict)
    padded: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    buckets: Mapping[str, Mapping[int, tuple[int, ...]]] = field(default_factory=dict)
    keys: Mapping[str, tuple[tuple[str, Node], ...]] = field(default_factory=dict)
    shaped_like: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    sequences: Mapping[str, str] = field(default_factory=dict)
    stacked: Mapping[str, str] = field(default_factory=dict)
    input_signature: tuple[tuple[str, Node], ...] | None = None
    reduce_retracing: bool = False
    variables_outside: bool = False
    traced_wide: bool = False
    bound: frozenset[str] = frozenset()
    bools: Mapping[str, Node] = field(default_factory=dict)
    traced_by_rank: bool = False
    traced_by_sizes: bool = False

    def with_(self, other: Candidate) -> Candidate:
        """Both changes at once; where they change the same thing, `other` wins."""
        return Candidate(
            {**self.objects, **other.objects},
            {**self.identities, **other.identities},
            {**self.numbers, **other.numbers},
            {**self.dtypes, **other.dtypes},
            {**self.padded, **other.padded},
            {**self.buckets, **other.buckets},
            {**self.keys, **other.keys},
            {**self.shaped_like, **other.shaped_like},
            {**self.sequences, **other.sequences},
            {**self.stacked, **other.stacked},
            other.input_signature if other.input_signature is not None else self.input_signature,
            self.reduce_retracing or other.reduce_retracing,
            self.variables_outside or other.variables_outside,
            self.traced_wide or other.traced_wide,
            self.bound | other.bound,
            {**self.bools, **other.bools},
            self.traced_by_rank or other.traced_by_rank,
            self.traced_by_sizes or other.traced_by_sizes,
        )

    @property
    def changes_arguments(self) -> bool:
        lengths = self.padded or self.buckets
        structure = self.keys or self.sequences or self.stacked
        return bool(self.identities or self.numbers or self.dtypes or self.bools or lengths or structure)


NO_CHANGE = Candidate()


def changed_node(node: Node, path: str, candidate: Candidate) -> Node:
    """The argument at `path` as the changed program would pass it."""
    if path in candidate.numbers and _is_made_a_tensor(node, candidate.numbers[path]):
        return Node("tensor", dtype=candidate.numbers[path], shape=())
    if path in candidate.stacked and node.type_name == "range" and (shape := stacked_shape(node)) is not None:
        return Node("tensor", dtype=candidate.stacked[path], shape=shape)
    if node.kind == "custom" and not path.endswith(METADATA):  # its number may be that of an object at other calls, too
        return node
    if node.kind in ("literal", "object", "variable", "custom"):
        identity = candidate.identities.get((path, node.identity))
        return node if identity is None else replace(node, identity=identity)
    if path in candidate.bools and node.kind == "tensor":
        return candidate.bools[path]
    if node.kind == "tensor":
        dtype, shape = node.dtype, node.shape
        if dtype != "string":  # nothing casts these
            dtype = candidate.dtypes.get(path, dtype)
        padded = candidate.padded.get(path)
        if padded is not None and shape is not None and len(shape) == len(padded):
            shape = padded
        if shape is not None and path in candidate.buckets:
            buckets = candidate.buckets[path]
            shape = tuple([bucket_of(size, buckets.get(axis, ())) for axis, size in enumerate(shape)])
        return replace(node, dtype=dtype, shape=shape)
    if path in candidate.stacked and (shape := stacked_shape(node, candidate.stacked[path] == "string")) is not None:
        return changed_node(Node("tensor", dtype=candidate.stacked[path], shape=shape), path, candidate)
    if node.kind in ("tuple", "list") and path in candidate.sequences:
        word = candidate.sequences[path]
        node = replace(node, kind=word, type_name=word)
    if not node.children:
        added = candidate.keys.get(path, ()) if node.kind == "dict" else ()
        return replace(node, children=added) if added else node
    children = tuple((key, changed_node(child, path + key, candidate)) for key, child in node.children)
    if node.kind == "dict" and path in candidate.keys:
        present = dict(children)
        added = tuple(
            (key, changed_node(_neutral(child, path + key, present, candidate), path + key, candidate))
            for key, child in candidate.keys[path]
            if key not in present
        )
        children = (*children, *added)
    return replace(node, children=children)


def _is_made_a_tensor(node: Node, dtype: str) -> bool:
    """A number, or one of several bools, or a string, where it is these that are made tensors."""
    if dtype == "string":
        return is_string(node)
    return is_number(node) or (is_bool(node) and dtype == "bool")


def _neutral(node: Node, path: str, beside: Mapping[str, Node], candidate: Candidate) -> Node:
    """What is passed for a key that is missing."""
    if node.children:
        below = [(key, _neutral(child, path + key, beside, candidate)) for key, child in node.children]
        return replace(node, children=tuple(below))
    key, dimensions = candidate.shaped_like.get(path, ("", 0))
    shape = beside[key].shape if key in beside else None
    if node.shape is None or shape is None:
        return node
    return replace(node, shape=(*shape[:dimensions], *node.shape[dimensions:]))


def stacked_shape(node: Node, of_strings: bool = False) -> tuple[int, ...] | None:
    """Shape of the tensor that a list or tuple of Python numbers or bools makes, nested or not, or a range; or None.

    `of_strings`: it is to hold those.
    """
    if node.type_name == "range":
        numbers = range_of(node.value)
        return None if numbers is None else (len(numbers),)
    if node.kind not in ("list", "tuple") or not node.children:
        return None
    inner = [
        ()
        if (is_string(child) if of_strings else is_number(child) or is_bool(child))
        else stacked_shape(child, of_strings)
        for _, child in node.children
    ]
    return None if inner[0] is None or any(one != inner[0] for one in inner) else (len(inner), *inner[0])


def is_long(node: Node) -> bool:
    """Whether a container holds so many numbers that one tensor is what to pass."""
    shape = stacked_shape(node)
    return shape is not None and (len(shape) > 1 or shape[0] >= _LONG)


def numbers_in(node: Node) -> Iterator[Node]:
    for _, child in node.children:
        yield from numbers_in(child) if child.children else (child,)


def bucket_of(size: int, buckets: Sequence[int]) -> int:
    """The first of `buckets`, ascending, that holds `size`; `size` itself if none does, or if it is unknown (-1)."""
    return size if size < 0 else next((bucket for bucket in buckets if bucket >= size), size)


def is_number(node: Node) -> bool:
    """Whether a leaf is a Python number that could be a tensor; a bool is not: it usually chooses the code."""
    return node.kind == "literal" and node.type_name in ("int", "float", "complex")


def is_bool(node: Node) -> bool:
    return node.kind == "literal" and node.type_name == "bool"


def is_string(node: Node) -> bool:
    return node.kind == "literal" and node.type_name in ("str", "bytes")
