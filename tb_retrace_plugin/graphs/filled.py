"""Constants of one value as TensorFlow makes them: one node, or from 1,000 elements on a `Fill` of two others."""

from __future__ import annotations

import collections
from typing import Any

from tb_retrace_plugin.graphs.attributes import tensor_values
from tb_retrace_plugin.graphs.read_graph import GraphFunction

_FILL = b"Fill"


def fills_as_constants(function: GraphFunction) -> GraphFunction:
    """Large ones, too, as one node: else `tf.zeros`, `tf.ones_like` and their like seem to be built otherwise for a
    larger size. Without shapes of nodes, where there is such a one."""
    nodes = list(function.definition.node_def) if _FILL in function.data else []
    constants = {node.name: node for node in nodes if node.op == "Const"}
    filled = {node.name: parts for node in nodes if node.op == "Fill" and (parts := _parts(node, constants))}
    if not filled:
        return function
    texts = [*(text for node in nodes for text in node.input), *function.definition.ret.values()]
    taken = collections.Counter(text.removeprefix("^").partition(":")[0] for text in texts)
    alone = {name: parts for name, parts in filled.items() if all(taken[part.name] == 1 for part in parts)}
    gone = {part.name for parts in alone.values() for part in parts}
    definition = type(function.definition)()
    definition.CopyFrom(function.definition)
    del definition.node_def[:]
    for node in nodes:
        if node.name in alone:
            _add_constant(definition, node, *alone[node.name])
        elif node.name not in gone:
            definition.node_def.add().CopyFrom(node)
    return GraphFunction(definition, definition.SerializeToString(deterministic=True))


def _parts(fill: Any, constants: dict[str, Any]) -> tuple[Any, Any] | None:
    """Its shape and its value, if both are constants."""
    found = [constants[name] for text in fill.input[:2] if (name := text.partition(":")[0]) in constants]
    return (found[0], found[1]) if len(found) == 2 else None


def _add_constant(definition: Any, fill: Any, dims: Any, value: Any) -> None:
    node = definition.node_def.add(name=fill.name, op="Const", device=fill.device)
    node.input.extend(fill.input[2:])
    node.attr["dtype"].CopyFrom(fill.attr["T"])
    node.attr["value"].CopyFrom(value.attr["value"])
    for size in tensor_values(dims.attr["value"].tensor) or ():
        node.attr["value"].tensor.tensor_shape.dim.add(size=size)
