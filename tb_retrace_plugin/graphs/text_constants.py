"""Whether two graphs are the same but for constants that hold the very strings that were passed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from tb_retrace_plugin.graphs.slim import FunctionGraph

#: `tensorflow.DataType.DT_STRING`.
_STRING = 7


def hash_without_text(functions: Sequence[FunctionGraph], is_passed: Callable[[bytes], bool]) -> str:
    """Of a graph without such constants' values, and without shapes of what it takes; "" if there are none.

    `is_passed`: whether a string is one that was passed. Empties these constants IN PLACE: it is asked last.
    """
    found = False
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        definition = function.definition
        for node in definition.node_def:
            if node.op != "Const" or node.attr["dtype"].type != _STRING:
                continue
            texts = node.attr["value"].tensor.string_val
            if texts and all(map(is_passed, texts)):
                del texts[:]
                found = True
        definition.arg_attr.clear()
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest() if found else ""
