"""Whether two graphs are the same whatever the sizes of tensors: those of two instances on batches of two sizes.

So are their operations whatever they are called, where graphs are not large: Keras' optimizers name them otherwise in
the call that builds them, and an object may name them after itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.without_names import without_names

#: Nodes of all functions: with more, names take too long to be left out.
_MOST_NODES = 1_000


def hash_without_sizes(functions: Sequence[FunctionGraph]) -> str:
    """Of a graph without shapes of its arguments, from which those of all else follow; constants and attributes that
    are sizes count."""
    digest = hashlib.blake2b(digest_size=8)
    if sum(len(function.definition.node_def) for function in functions) <= _MOST_NODES:
        bare = [function.definition for function in without_names(functions)]
    else:
        bare = list(map(_without_shapes, functions))
    for definition in bare:
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest()


def _without_shapes(function: FunctionGraph) -> Any:
    bare = type(function.definition)()
    bare.CopyFrom(function.definition)
    bare.arg_attr.clear()
    return bare
