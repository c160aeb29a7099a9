"""Whether all that differs between two graphs of one structure follows from one dimension of what they are given.

Nothing is guessed. The shape of an op's outputs follows from its inputs: one that differs is accounted for where inputs
of it differ, all of them accounted for. A constant is where its numbers are sizes, or products of sizes, of tensors
that are. All starts from the dimension; what is left over means: no.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tb_retrace_plugin.graphs.attributes import tensor_values, uniform_value
from tb_retrace_plugin.graphs.difference import CHANGED, Difference, changed_parts
from tb_retrace_plugin.graphs.nodes import ARGUMENT, Column, Nodes
from tb_retrace_plugin.graphs.slim import Shape

#: Ops whose outputs are data from outside, whatever their inputs are.
_SOURCES = frozenset({"IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue", "IteratorGetNextAsOptional"})
_MAX_RANK = 8
_MAX_SIZES = 20_000
_MAX_PASSES = 12
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Place:
    """A dimension of an argument of the traced function, or of what it takes from a dataset. `rank`: of the tensor."""

    name: str
    dimension: int
    rank: int


@dataclass(frozen=True, slots=True)
class Substitution:
    """`old` and `new`: the sizes in a and b; None: unknown."""

    old: int | None
    new: int | None
    places: tuple[Place, ...]

    @property
    def is_batch(self) -> bool:
        """The first dimension of all that has it, as TensorFlow's batches are."""
        first = all(place.dimension == 0 for place in self.places)
        return first and (len(self.places) > 1 or self.places[0].rank > 1)


def one_substitution(difference: Difference) -> Substitution | None:
    """The dimension that explains everything, if all is verified. The graphs must be of the same structure."""
    places = list(_given(difference))
    sizes = {(old, new) for old, new, _ in places}
    if len(sizes) != 1:
        return None
    ((old, new),) = sizes
    found = Substitution(old, new, tuple(dict.fromkeys(place for _, _, place in places)))
    return found if _Check(difference, found).all_follows() else None


def _given(difference: Difference) -> Iterator[tuple[int | None, int | None, Place]]:
    """Dimensions of what the traced function is given that differ; (-1, -1) where more than a dimension does."""
    graph = difference.graphs[0]
    a, b = graph.a, graph.b
    if a is None or b is None:
        return
    lists = list(difference.shared.shapes)
    for row in np.flatnonzero(graph.flags & CHANGED).tolist():
        i, j = int(graph.row_a[row]), int(graph.row_b[row])
        if not (i < a.arguments or a.ops[i] in _SOURCES) or a.shape[i] < 0 or b.shape[j] < 0:
            continue
        for left, right in zip(lists[a.shape[i]], lists[b.shape[j]], strict=False):
            if left == right:
                continue
            if left is None or right is None or len(left) != len(right):
                yield -1, -1, Place(a.names[i], 0, 0)
                continue
            for dimension, (old, new) in enumerate(zip(left, right, strict=True)):
                if old != new:
                    yield old, new, Place(a.names[i], dimension, len(left))


class _Check:
    def __init__(self, difference: Difference, found: Substitution) -> None:
        self._shared = difference.shared
        self._graphs = difference.graphs
        self._found = found
        self._lists: list[tuple[Shape, ...]] = list(difference.shared.shapes)
        #: Numbers that stand for each other: the dimension, sizes that follow from it, and their products.
        self._sizes: set[tuple[int, int]] = set()
        self._rests: dict[tuple[int, int], bool] = {}
        if found.old is not None and found.new is not None:
            self._sizes.add((found.old, found.new))

    def all_follows(self) -> bool:
        if -1 in (self._found.old, self._found.new):
            return False
        open_rows = [np.flatnonzero(graph.flags & CHANGED).tolist() for graph in self._graphs]
        accounted = [(graph.flags & CHANGED) == 0 for graph in self._graphs]
        for _ in range(_MAX_PASSES):
            left = [
                [row for row in rows if not self._row_follows(number, row, accounted[number])]
                for number, rows in enumerate(open_rows)
            ]
            if not any(left):
                return True
            if left == open_rows:
                return False
            open_rows = left
        return False

    def _row_follows(self, number: int, row: int, accounted: Column) -> bool:
        graph = self._graphs[number]
        a, b = graph.a, graph.b
        if a is None or b is None:
            return False
        i, j = int(graph.row_a[row]), int(graph.row_b[row])
        rests = int(a.rest[i]), int(b.rest[j])
        if rests[0] != rests[1] and not self._rests_follow(rests):
            return False
        shapes = int(a.shape[i]), int(b.shape[j])
        if shapes[0] != shapes[1] and min(shapes) >= 0:
            inputs = graph.input_node[graph.input_start[row] : graph.input_start[row + 1]]
            if a.ops[i] == ARGUMENT and number > 0:
                if not self._known(shapes):
                    return False
            elif a.ops[i] != ARGUMENT and a.ops[i] not in _SOURCES and a.ops[i] != "Const":
                differing = inputs[(graph.flags[inputs] & CHANGED) != 0]
                if not len(differing) or not accounted[differing].all():
                    return False
            self._learn(shapes)
        accounted[row] = True
        return True

    def _known(self, pair: tuple[int, int]) -> bool:
        """Whether shapes differ only in sizes that stand for each other."""
        left, right = self._lists[pair[0]], self._lists[pair[1]]
        return len(left) == len(right) and all(self._shape_follows(a, b) for a, b in zip(left, right, strict=True))

    def _shape_follows(self, left: Shape, right: Shape) -> bool:
        if left is None or right is None or len(left) != len(right):
            return left == right
        return all(a == b or self._dimension_follows(a, b) for a, b in zip(left, right, strict=True))

    def _dimension_follows(self, a: int | None, b: int | None) -> bool:
        if a is None or b is None:
            return (a is None) == (self._found.old is None) and (b is None) == (self._found.new is None)
        return (a, b) in self._sizes

    def _learn(self, pair: tuple[int, int]) -> None:
        for left, right in zip(self._lists[pair[0]], self._lists[pair[1]], strict=False):
            if left is None or right is None or len(left) != len(right) or len(left) > _MAX_RANK or left == right:
                continue
            products = {(1, 1)}
            for a, b in zip(left, right, strict=True):
                if a is not None and b is not None and len(self._sizes) < _MAX_SIZES:
                    products |= {(x * a, y * b) for x, y in products}
            self._sizes |= {(x, y) for x, y in products if x != y}

    # --- attributes ---

    def _rests_follow(self, pair: tuple[int, int]) -> bool:
        if not self._rests.get(pair):  # what did not follow may, from sizes that were learnt since
            self._rests[pair] = self._rest_follows(*pair)
        return self._rests[pair]

    def _rest_follows(self, left: int, right: int) -> bool:
        a, b = self._shared.rests[left], self._shared.rests[right]
        for key in changed_parts((left, right), self._shared):
            if key == "device" or key not in a.attr or key not in b.attr:
                return False
            if not self._value_follows(a.attr[key], b.attr[key]):
                return False
        return True

    def _value_follows(self, a: Any, b: Any) -> bool:
        which = a.WhichOneof("value")
        if which != b.WhichOneof("value"):
            return False
        if which == "i":
            return self._number_follows(a.i, b.i)
        if which == "shape":
            return self._shape_follows(_shape(a.shape), _shape(b.shape))
        if which == "tensor":
            return self._tensor_follows(a.tensor, b.tensor)
        if which == "list" and len(a.list.shape) == len(b.list.shape) > 0:
            pairs = zip(a.list.shape, b.list.shape, strict=True)
            return all(self._shape_follows(_shape(x), _shape(y)) for x, y in pairs)
        if which == "list" and len(a.list.i) == len(b.list.i) > 0:
            return all(x == y or self._number_follows(x, y) for x, y in zip(a.list.i, b.list.i, strict=True))
        return False

    def _tensor_follows(self, a: Any, b: Any) -> bool:
        if a.dtype != b.dtype or not self._shape_follows(_shape(a.tensor_shape), _shape(b.tensor_shape)):
            return False
        if (value := uniform_value(a)) is not None and value == uniform_value(b):
            return True  # of another shape, which follows
        left, right = tensor_values(a), tensor_values(b)
        if left is None or right is None or len(left) != len(right):
            return False
        return all(x == y or self._number_follows(x, y) for x, y in zip(left, right, strict=True))

    def _number_follows(self, a: Any, b: Any) -> bool:
        if isinstance(a, bytes | bool) or isinstance(b, bytes | bool):
            return False
        if isinstance(a, int) and isinstance(b, int):
            return (a, b) in self._sizes
        # sizes as floats, and one over them, as means have them
        return any((_close(a, x) and _close(b, y)) or (_close(a * x, 1) and _close(b * y, 1)) for x, y in self._sizes)


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(abs(a), abs(b))


def _shape(proto: Any) -> Shape:
    if proto.unknown_rank:
        return None
    return tuple([None if dim.size < 0 else int(dim.size) for dim in proto.dim])


def same_structure(difference: Difference) -> bool:
    """Every node has a partner, with the same inputs."""
    counts = difference.counts()
    return not (counts["added"] or counts["removed"] or counts["rewired"])


def ops_of(nodes: Nodes | None, *, traced: bool) -> int:
    """As TensorFlow counts them: in a function that is called, arguments are no ops; results never are."""
    if nodes is None:
        return 0
    return len(nodes) - nodes.results - (0 if traced else nodes.arguments)
