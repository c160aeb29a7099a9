"""Whether two graphs are the same whatever the sizes of tensors: those of two instances on batches of two sizes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tb_retrace_plugin.graphs.slim import FunctionGraph


def hash_without_sizes(functions: Sequence[FunctionGraph]) -> str:
    """Of a graph without shapes of its arguments, from which those of all else follow; constants and attributes that
    are sizes count. Clears these shapes IN PLACE."""
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        function.definition.arg_attr.clear()
        digest.update(function.definition.SerializeToString(deterministic=True))
    return digest.hexdigest()
