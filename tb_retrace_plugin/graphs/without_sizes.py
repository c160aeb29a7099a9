"""Whether two graphs are the same whatever the sizes of tensors: those of two instances on batches of two sizes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tb_retrace_plugin.graphs.slim import FunctionGraph


def hash_without_sizes(functions: Sequence[FunctionGraph]) -> str:
    """Of a graph without shapes of its arguments, from which those of all else follow; constants and attributes that
    are sizes count."""
    digest = hashlib.blake2b(digest_size=8)
    for function in functions:
        bare = type(function.definition)()
        bare.CopyFrom(function.definition)
        bare.arg_attr.clear()
        digest.update(bare.SerializeToString(deterministic=True))
    return digest.hexdigest()
