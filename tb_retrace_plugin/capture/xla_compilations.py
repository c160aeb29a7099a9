"""XLA compiles a `jit_compile=True` graph anew for each concrete shape of its unknown dimensions, without a trace.

Nothing but the shapes of the calls reveals it. So calls of such a function, and of no other, are watched: a shape that
was not there before is a compilation (TensorFlow keys its cache of executables by them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.schema.signature import Node, Signature, shape_text

#: Shapes remembered per trace; a function that is called with more is called in ways that nobody reads one by one.
_MAX_SHAPES = 10_000
#: Earlier compilations that a new one is compared with.
_MAX_COMPARED = 200

Shape = tuple[int, ...]


class Compilation(NamedTuple):
    """`shapes`: path of each argument with unknown dimensions -> its concrete shape."""

    shapes: Mapping[str, Shape]
    gradient: bool


class UnknownShapes:
    """The arguments of one traced graph that have unknown dimensions, and the shapes they were called with."""

    def __init__(self, concrete_function: Any) -> None:
        self._positions = [
            position
            for position, tensor in enumerate(tf_seam.argument_tensors(concrete_function))
            if tensor.dtype.name not in ("resource", "variant") and not tensor.shape.is_fully_defined()
        ]
        self._paths: list[str] = []
        self._seen: dict[tuple[object, ...], None] = {}

    def __bool__(self) -> bool:
        return bool(self._positions)

    def set_paths(self, concrete_function: Any, signature: Signature | None, *, hide: bool = False) -> None:
        """Finds each argument's path in the traced signature; where that fails, the name that TensorFlow gave it.

        `hide`: that name may be a key of the program's; then its number.
        """
        tensors = tf_seam.argument_tensors(concrete_function)
        leaves = [] if signature is None else _flat_tensors(signature)
        exact = len(leaves) == len(tensors) and all(map(_fits, tensors, leaves))
        names = [f"argument {i}" if hide else tf_seam.argument_name(tensors[i]) for i in range(len(tensors))]
        self._paths = [leaves[i][0] if exact else names[i] for i in self._positions]

    def new(self, concrete_function: Any, tensors: Sequence[Any], captured: Sequence[Any]) -> Compilation | None:
        """What a call with these flat tensor arguments compiles; None if its shapes were there before."""
        shapes = tuple(tuple(tensors[position].shape.as_list()) for position in self._positions)
        gradient = tf_seam.a_tape_records(concrete_function, [*tensors, *captured])
        if (key := (*shapes, gradient)) in self._seen or len(self._seen) >= _MAX_SHAPES:
            return None
        self._seen[key] = None
        return Compilation(dict(zip(self._paths, shapes, strict=True)), gradient)


def _flat_tensors(signature: Signature) -> list[tuple[str, Node]]:
    """Leaves in the order of `FunctionType.unpack_inputs`: parameters, then dictionaries by sorted key."""
    leaves: list[tuple[str, Node]] = []
    for path, node in signature.arguments:
        _walk(path, node, leaves)
    seen: set[int] = set()
    flat = []
    for path, leaf in leaves:
        if leaf.kind == "variable" and leaf.identity:  # TensorFlow passes a variable once
            if leaf.identity in seen:
                continue
            seen.add(leaf.identity)
        flat.append((path, leaf))
    return flat


def _walk(path: str, node: Node, leaves: list[tuple[str, Node]]) -> None:
    if node.kind in ("tensor", "variable"):
        leaves.append((path, node))
    children = sorted(node.children, key=_key_order) if node.kind == "dict" else node.children
    for key, child in children:
        _walk(path + key, child, leaves)


def _key_order(item: tuple[str, Node]) -> tuple[int, str]:
    text = item[0][1:-1]
    return (int(text), "") if text.isdecimal() else (0, text)


def _fits(tensor: Any, leaf: tuple[str, Node]) -> bool:
    """Whether a placeholder can be that leaf's; a wrong path would be worse than TensorFlow's own name."""
    node = leaf[1]
    if node.kind == "variable":
        return bool(tensor.dtype.name == "resource")
    shape = None if tensor.shape.rank is None else tuple(-1 if d is None else d for d in tensor.shape.as_list())
    return bool(node.dtype.partition(" ")[0] == tensor.dtype.name and node.shape == shape)


class Compilations:
    """Those of one trace so far."""

    def __init__(self) -> None:
        self.count = 0
        self._shapes: list[Mapping[str, Shape]] = []

    def add(self, shapes: Mapping[str, Shape]) -> list[Change]:
        """Counts one; returns what differs from the earlier one with the fewest other dimensions, latest of several."""
        self.count += 1
        changes: list[Change] = []
        if self._shapes:
            closest = min(reversed(self._shapes), key=lambda earlier: _distance(earlier, shapes))
            changes = [
                Change("shape", path, shape_text(closest.get(path)), shape_text(shape))
                for path, shape in shapes.items()
                if closest.get(path) != shape
            ]
        self._shapes = [*self._shapes[-_MAX_COMPARED + 1 :], shapes]
        return changes


def _distance(earlier: Mapping[str, Shape], shapes: Mapping[str, Shape]) -> int:
    total = 0
    for path, shape in shapes.items():
        other = earlier.get(path, ())
        total += sum(a != b for a, b in zip(shape, other, strict=True)) if len(shape) == len(other) else len(shape) + 1
    return total
