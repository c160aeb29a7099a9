"""Whether two graphs are the same but for constants that hold numbers: those of an object that was passed, say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: Of a tensor, by `tensorflow.DataType`, where its values are, but for `tensor_content`: float32, float64, complex64,
#: bfloat16, complex128, float16.
_FRACTIONS = {1: "float_val", 2: "double_val", 8: "scomplex_val", 14: "half_val", 18: "dcomplex_val", 19: "half_val"}
#: int32, int64: axes, shapes and bounds of slices are such constants as well.
_WHOLE = {3: "int_val", 9: "int64_val"}


def hash_without_numbers(functions: Sequence[FunctionGraph], *, whole: bool, captured: int = 0) -> str:
    """Of a graph without such constants' values, and without shapes of its arguments; "" if there are none.

    `whole`: whether whole numbers are left out, too. `captured`: how many of the traced function's inputs, the last,
    are tensors that it captures, whose shapes count: as arguments these need a trace for each. Empties these constants
    IN PLACE: it is asked last.
    """
    emptied = _FRACTIONS | _WHOLE if whole else _FRACTIONS
    found = False
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        definition = function.definition
        for node in definition.node_def:
            if node.op != "Const":
                continue
            attributes = node.attr
            if (values := emptied.get(attributes["dtype"].type)) is not None:
                _empty(attributes["value"], values)
                found = True
        definition.arg_attr.clear()
        if captured:
            digest.update(repr([function.shapes[place] for place in function.inputs[-captured:]]).encode())
            captured = 0
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest() if found else ""


def empty_fractions(node: Any) -> None:
    """Of a constant. IN PLACE."""
    _empty_of(node, _FRACTIONS)


def empty_whole(node: Any) -> None:
    """Of a constant. IN PLACE."""
    _empty_of(node, _WHOLE)


def _empty_of(node: Any, emptied: Mapping[int, str]) -> None:
    if (values := emptied.get(node.attr["dtype"].type)) is not None:
        _empty(node.attr["value"], values)


def _empty(value: Any, values: str) -> None:
    if value.HasField("placeholder"):  # too large to be kept: its dtype and shape come first (slim.py)
        value.placeholder = value.placeholder.partition(", not stored")[0]
    else:
        tensor = value.tensor
        tensor.ClearField("tensor_content")
        tensor.ClearField(values)
