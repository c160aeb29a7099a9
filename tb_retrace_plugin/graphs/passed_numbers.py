"""Whether two graphs are the same but for constants that are the very numbers that were passed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from tb_retrace_plugin.graphs.attributes import tensor_values
from tb_retrace_plugin.graphs.slim import FunctionGraph

#: `tensorflow.DataType` of numbers -> its name.
_DTYPES = {1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 8: "complex64", 9: "int64"}
_DTYPES |= {14: "bfloat16", 17: "uint16", 18: "complex128", 19: "float16", 22: "uint32", 23: "uint64"}
#: Scalars of one graph that are kept: its history may be long.
_MOST = 256


#: Hash of all but the values of scalars; value of each, in order, and by which names that number was passed.
PassedNumbers = tuple[bytes, tuple[tuple[str, frozenset[str]], ...]]


def passed_numbers(
    functions: Sequence[FunctionGraph], passed_as: Callable[[object, str], frozenset[str]]
) -> PassedNumbers | None:
    """Of a graph that holds any; None if it holds none, or too many scalars. Functions are left as they are.

    `passed_as`: by which names a value of a dtype was passed.
    """
    scalars: list[tuple[str, frozenset[str]]] = []
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        held: list[tuple[Any, bytes]] = []
        for node in function.definition.node_def:
            if node.op != "Const" or (dtype := _DTYPES.get(node.attr["dtype"].type)) is None:
                continue
            value = node.attr["value"]
            number = _number(value)
            if number is not None:
                scalars.append((repr(number), passed_as(number, dtype)))
                held.append((value, value.SerializeToString()))
                value.placeholder = dtype
        digest.update(function.definition.SerializeToString(deterministic=True))
        for value, data in held:
            value.ParseFromString(data)
    if len(scalars) > _MOST or not any(names for _, names in scalars):
        return None
    return digest.digest(), tuple(scalars)


def differ_in_passed_numbers(one: PassedNumbers | None, other: PassedNumbers | None) -> bool:
    """Whether they differ in nothing else: where they do, it is the same number that was passed to both."""
    if one is None or other is None or one[0] != other[0] or one[1] == other[1]:
        return False
    return len(one[1]) == len(other[1]) and all(map(_are_alike, one[1], other[1]))


def _are_alike(one: tuple[str, frozenset[str]], other: tuple[str, frozenset[str]]) -> bool:
    if one[1] & other[1]:
        return True
    return one[0] == other[0] and not (one[1] and other[1])  # else another number, of the same value by chance


def _number(value: Any) -> object:
    """None of what is no scalar, or not kept."""
    if not value.HasField("tensor") or value.tensor.tensor_shape.dim or value.tensor.tensor_shape.unknown_rank:
        return None
    values = tensor_values(value.tensor)
    return values[0] if values else None
