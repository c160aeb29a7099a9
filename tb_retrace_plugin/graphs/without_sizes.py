"""Whether two graphs are the same whatever the sizes of tensors: those of two instances on batches of two sizes.

So are their operations whatever they are called, where graphs are not large: Keras' optimizers name them otherwise in
the call that builds them, and an object may name them after itself. And so are sizes that gradients hold, as TensorFlow
makes these of what the forward pass takes: a shape to sum to, what a mean divides by, the ones that it begins with
where the loss has a row for each example.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tb_retrace_plugin.graphs.attributes import tensor_values
from tb_retrace_plugin.graphs.number_constants import empty_fractions, empty_whole
from tb_retrace_plugin.graphs.slim import FunctionGraph
from tb_retrace_plugin.graphs.without_names import without_names

#: Nodes of all functions: with more, names take too long to be left out.
_MOST_NODES = 1_000
_GRADIENT = re.compile(r"(^|/)gradient_tape/")
_ONES = re.compile(r"(^|/)ones(_\d+)?$")
_DIVIDE = frozenset({"RealDiv", "Div", "DivNoNan"})


def hash_without_sizes(functions: Sequence[FunctionGraph]) -> str:
    """Of a graph without shapes of its arguments, from which those of all else follow; constants and attributes that
    are sizes count, but for gradients'."""
    digest = hashlib.blake2b(digest_size=8)
    if sum(len(function.definition.node_def) for function in functions) <= _MOST_NODES:
        bare = [function.definition for function in without_names(functions)]
    else:
        bare = list(map(_without_shapes, functions))
    for function, definition in zip(functions, bare, strict=True):
        _empty_sizes(function.definition.node_def, definition.node_def)
        digest.update(definition.SerializeToString(deterministic=True))
    return digest.hexdigest()


def _without_shapes(function: FunctionGraph) -> Any:
    bare = type(function.definition)()
    bare.CopyFrom(function.definition)
    bare.arg_attr.clear()
    return bare


def _empty_sizes(named: Sequence[Any], nodes: Iterable[Any]) -> None:
    """IN PLACE in `nodes`, which are `named` in the same order."""
    divisors: dict[str, Any] = {}
    ones = _begun_with(named)
    for original, node in zip(named, nodes, strict=True):
        if original.name in ones:
            node.attr["value"].tensor.tensor_shape.Clear()
            empty_fractions(node)
        if _GRADIENT.search(original.name) is None:
            continue
        if original.op == "Const":
            empty_whole(node)
            if _is_whole(original):
                divisors[original.name] = node
        elif original.op in _DIVIDE and (divisor := divisors.get(original.input[1].partition(":")[0])) is not None:
            empty_fractions(divisor)


def _begun_with(named: Sequence[Any]) -> set[str]:
    """Constants that are ones, and that gradients alone take."""
    ones = {node.name for node in named if node.op == "Const" and _ONES.search(node.name) is not None}
    if not ones:  # mostly
        return ones
    taken: dict[bool, set[str]] = {True: set(), False: set()}
    for node in named:
        taken[_GRADIENT.search(node.name) is not None].update(_source(text) for text in node.input)
    return (ones & taken[True]) - taken[False]


def _source(text: str) -> str:
    return text.lstrip("^").partition(":")[0]


def _is_whole(node: Any) -> bool:
    """Of a scalar."""
    values = tensor_values(node.attr["value"].tensor)
    return values is not None and len(values) == 1 and isinstance(values[0], float) and values[0].is_integer()
