"""What XLA compiles one trace's graph for: concrete shapes that the trace leaves open, and values that it needs.

A compilation makes no trace; calls with shapes and values that were not there before are compilations (TensorFlow keys
its cache of executables by them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.values.identity import text_identity
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.graphs.xla_constants import constant_arguments
from tb_retrace_plugin.schema.signature import Node, Signature, shape_text

#: Remembered per trace; a function that is called with more is called in ways that nobody reads one by one.
_MAX_SEEN = 10_000
#: Earlier compilations that a new one is compared with.
_MAX_COMPARED = 200
#: Of a constant with more numbers the first are shown.
_MAX_NUMBERS = 8

Shape = tuple[int, ...]


class Value(NamedTuple):
    """Of a tensor: equal identities for equal ones of one dtype and shape; and how it reads."""

    identity: int
    text: str


class Compilation(NamedTuple):
    """`shapes`: path of each argument with unknown dimensions -> its concrete shape; `values`: of what XLA needs.

    `gradient`: of the forward pass that a gradient tape records; `backward`: of the backward pass, for such a call with
    these shapes and values.
    """

    shapes: Mapping[str, Shape]
    gradient: bool
    values: Mapping[str, Value]
    backward: bool = False


class OpenArguments:
    """The arguments of one traced graph that have unknown dimensions, or whose value XLA needs; what they were.

    `with_captures`: captured tensors, too, as those of a backward pass are what the forward pass has computed.
    """

    def __init__(self, concrete_function: Any, *, with_captures: bool = False) -> None:
        tensors = tf_seam.argument_tensors(concrete_function, with_captures=with_captures)
        others = [i for i, tensor in enumerate(tensors) if tensor.dtype.name not in ("resource", "variant")]
        self._positions = [i for i in others if not tensors[i].shape.is_fully_defined()]
        needed = (
            constant_arguments(tf_seam.function_definitions(tf_seam.traced_graph(concrete_function)))
            if others
            else frozenset()
        )
        self._constants = [i for i in others if i in needed and tensors[i].dtype.name != "string"]  # XLA takes none
        self._paths: list[str] = []
        self._constant_paths: list[str] = []
        self._seen: dict[tuple[object, ...], None] = {}

    def __bool__(self) -> bool:
        return bool(self._positions or self._constants)

    def set_paths(self, concrete_function: Any, signature: Signature | None, *, hide: bool = False) -> None:
        """Finds each argument's path in the traced signature; where that fails, the name that TensorFlow gave it.

        `hide`: that name may be a key of the program's; then its number.
        """
        tensors = tf_seam.argument_tensors(concrete_function)
        leaves = [] if signature is None else _flat_tensors(signature)
        exact = len(leaves) == len(tensors) and all(map(_fits, tensors, leaves))
        names = [f"argument {i}" if hide else tf_seam.argument_name(tensors[i]) for i in range(len(tensors))]
        paths = [leaf[0] for leaf in leaves] if exact else names
        self._paths = [paths[i] for i in self._positions]
        self._constant_paths = [paths[i] for i in self._constants]

    def new(self, concrete_function: Any, tensors: Sequence[Any], captured: Sequence[Any]) -> Compilation | None:
        """What a call with these flat tensor arguments compiles; None if its shapes and values were there before."""
        new = self._new(concrete_function, tensors, captured)
        if new is None:
            return None
        shapes, identities, arrays, gradient = new
        values = map(Value, identities, map(_text, arrays))
        return Compilation(
            dict(zip(self._paths, shapes, strict=True)), gradient, dict(zip(self._constant_paths, values, strict=True))
        )

    def are_new(self, concrete_function: Any, tensors: Sequence[Any], captured: Sequence[Any]) -> bool:
        """Whether a call with these compiles."""
        return self._new(concrete_function, tensors, captured) is not None

    def _new(
        self, concrete_function: Any, tensors: Sequence[Any], captured: Sequence[Any]
    ) -> tuple[tuple[Shape, ...], list[int], list[Any], bool] | None:
        """Shapes, values' identities, values, and whether a tape records; None if all were there before."""
        shapes = tuple(tuple(tensors[position].shape.as_list()) for position in self._positions)
        arrays = [tensors[position].numpy() for position in self._constants]
        identities = [text_identity(f"{a.dtype.str} {a.shape} ".encode() + a.tobytes()) for a in arrays]
        tape = tf_seam.kind_of_tape(concrete_function, [*tensors, *captured])
        if (key := (*shapes, *identities, tape)) in self._seen or len(self._seen) >= _MAX_SEEN:
            return None
        self._seen[key] = None
        return shapes, identities, arrays, tape != 0


def _text(array: Any) -> str:
    """Of a NumPy array or scalar."""
    if array.size <= _MAX_NUMBERS:
        return repr(array.tolist())
    first = ", ".join(map(repr, array.ravel()[:_MAX_NUMBERS].tolist()))
    return f"{array.dtype.name} {shape_text(array.shape)} of {first}, …"


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
        self._earlier: list[Compilation] = []

    def add(self, compilation: Compilation) -> list[Change]:
        """Counts one; returns what differs from the earlier one of its pass that differs least, latest of several."""
        self.count += 1
        changes: list[Change] = []
        if same_pass := [earlier for earlier in reversed(self._earlier) if _pass(earlier) == _pass(compilation)]:
            closest = min(same_pass, key=lambda earlier: _distance(earlier, compilation))
            changes = [
                Change("shape", path, shape_text(closest.shapes.get(path)), shape_text(shape))
                for path, shape in compilation.shapes.items()
                if closest.shapes.get(path) != shape
            ]
            changes += [
                Change("value", path, closest.values[path].text, value.text)
                for path, value in compilation.values.items()
                if closest.values[path].identity != value.identity
            ]
        self._earlier = [*self._earlier[-_MAX_COMPARED + 1 :], compilation]
        return changes


def _pass(compilation: Compilation) -> tuple[bool, bool]:
    """None spares another one a compilation."""
    return compilation.gradient, compilation.backward


def _distance(earlier: Compilation, compilation: Compilation) -> int:
    total = sum(earlier.values[path].identity != value.identity for path, value in compilation.values.items())
    for path, shape in compilation.shapes.items():
        other = earlier.shapes.get(path, ())
        total += sum(a != b for a, b in zip(shape, other, strict=True)) if len(shape) == len(other) else len(shape) + 1
    return total
