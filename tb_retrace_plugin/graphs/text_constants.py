"""Whether two graphs are the same but for constants that hold the very strings that were passed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: `tensorflow.DataType.DT_STRING`.
_STRING = 7


def hash_without_text(functions: Sequence[FunctionGraph], is_passed: Callable[[bytes], bool]) -> str:
    """Of a graph without such constants' values, their lengths, and shapes of what it takes; "" if there are none.

    `is_passed`: whether a string is one that was passed. Empties these constants IN PLACE: it is asked last.
    """
    found = False
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        definition = function.definition
        for node in definition.node_def:
            if node.op != "Const" or node.attr["dtype"].type != _STRING:
                continue
            tensor = node.attr["value"].tensor
            if tensor.string_val and all(map(is_passed, tensor.string_val)):
                del tensor.string_val[:]
                if len(tensor.tensor_shape.dim) == 1:  # as long as the list that was passed
                    tensor.tensor_shape.dim[0].size = -1
                found = True
        definition.arg_attr.clear()
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest() if found else ""
