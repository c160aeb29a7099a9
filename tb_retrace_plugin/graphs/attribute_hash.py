"""Whether two graphs are of the same operations with other whole numbers as attributes, told by a hash of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: A tensor does for what sets these: a seed may be one of a stateless operation, sizes of what a loop or a
#: `tf.TensorArray` holds may be unknown, and what has as many inputs as a list has items (`N`) may be a loop.
_A_TENSOR_DOES = frozenset({"seed", "seed2", "output_shapes", "num_elements", "N"})
#: Of operations, which are some 1,500: the attributes that hold whole numbers. Nearly all hold none.
_of_whole_numbers: dict[str, tuple[str, ...]] = {}


#: Of one process: of which operations there are, in order; of the whole numbers that are attributes of theirs.
AttributeHash = tuple[int, int]


def attribute_hash(functions: Sequence[FunctionGraph]) -> AttributeHash:
    operations: list[str] = []
    numbers: list[bytes] = []
    for function in functions:
        for node in function.definition.node_def:
            op = node.op
            operations.append(op)
            names = _of_whole_numbers.get(op)
            if names is None:
                names = _whole_numbers_of(op, node.attr)
            for name in names:
                numbers.append(node.attr[name].SerializeToString(deterministic=True))
    return hash(tuple(operations)), hash(tuple(numbers))


def has_other_attributes(one: AttributeHash | None, other: AttributeHash | None) -> bool:
    """Whether operations are the same and attributes not. False if one is not known."""
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def has_other_operations(one: AttributeHash | None, other: AttributeHash | None) -> bool:
    """False if one is not known."""
    return one is not None and other is not None and one[0] != other[0]


def _whole_numbers_of(op: str, attributes: Any) -> tuple[str, ...]:
    names = tuple(sorted(n for n in attributes if n not in _A_TENSOR_DOES and _holds_whole_numbers(attributes[n])))
    if not op.startswith("__"):  # a function of the graph, called by its name
        _of_whole_numbers[op] = names
    return names


def _holds_whole_numbers(value: Any) -> bool:
    kind = value.WhichOneof("value")
    if kind == "list":  # an empty one may be one of them
        return bool(value.list.i) or value.list.ByteSize() == 0
    return bool(kind == "i")
