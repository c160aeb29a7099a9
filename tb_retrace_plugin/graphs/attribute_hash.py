"""Whether two graphs are of the same operations with other attributes, told by two short hashes of each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: A tensor does for what sets these: a seed may be one of a stateless operation; what is printed is printed of a
#: tensor too; sizes of what a loop or a `tf.TensorArray` holds may be unknown.
_A_TENSOR_DOES = ("seed", "seed2", "template", "message", "output_shapes", "num_elements")


def attribute_hash(functions: Sequence[FunctionGraph]) -> str:
    """`operations:attributes`, hex: a hash of which operations there are, in order, and one of them with attributes.

    Names, inputs and what constants hold are in neither. Empties the nodes IN PLACE: it is asked last.
    """
    operations: list[str] = []
    attributes: list[bytes] = []
    left_out: dict[str, list[str]] = {}  # by op: of its nodes' attributes
    for function in functions:
        for node in function.definition.node_def:
            op = node.op
            operations.append(op)
            if op == "Const":
                continue
            names = left_out.get(op)
            if names is None:
                names = left_out[op] = [name for name in _A_TENSOR_DOES if name in node.attr]
            for name in names:
                node.attr.pop(name, None)
            node.ClearField("name")
            node.ClearField("input")
            attributes.append(node.SerializeToString(deterministic=True))
    return f"{_hash(' '.join(operations).encode())}:{_hash(b''.join(attributes))}"


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def has_other_attributes(one: str, other: str) -> bool:
    """Of what `attribute_hash` gave: whether operations are the same and attributes not. False if one is ""."""
    return one != other and bool(one and other) and one.partition(":")[0] == other.partition(":")[0]
