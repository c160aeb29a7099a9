"""Whether two graphs are the same but for constants that hold numbers: those of an object that was passed, say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: `tensorflow.DataType`: float32, float64, complex64, bfloat16, complex128, float16.
_FRACTIONS = frozenset({1, 2, 8, 14, 18, 19})
#: int32, int64: axes, shapes and bounds of slices are such constants as well.
_WHOLE = frozenset({3, 9})
_SIZE = ("dtype", "tensor_shape")


def hash_without_numbers(functions: Sequence[FunctionGraph], *, whole: bool) -> str:
    """Of a graph without such constants' values, and without shapes of what it takes; "" if there are none.

    `whole`: whether whole numbers are left out, too. Empties these constants IN PLACE: it is asked last.
    """
    emptied = _FRACTIONS | _WHOLE if whole else _FRACTIONS
    found = False
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        definition = function.definition
        for node in definition.node_def:
            if node.op == "Const" and node.attr["dtype"].type in emptied:
                _empty(node.attr["value"])
                found = True
        definition.arg_attr.clear()
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest() if found else ""


def _empty(value: Any) -> None:
    if value.WhichOneof("value") != "tensor":  # too large to be kept: its dtype and shape come first (slim.py)
        value.placeholder = value.placeholder.partition(", not stored")[0]
        return
    for field, _ in value.tensor.ListFields():
        if field.name not in _SIZE:
            value.tensor.ClearField(field.name)
