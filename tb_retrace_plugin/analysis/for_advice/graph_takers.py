"""Which operations of a graph take an argument: what adds it has another neutral value than what multiplies with it."""

from __future__ import annotations

from typing import Any

#: Which leave the values as they are: what takes their output takes the argument.
_PASS_ON = frozenset({"Identity", "Cast", "ExpandDims", "Reshape", "Squeeze", "BroadcastTo"})
#: Which read no values of it.
_ASK_FOR_SHAPES = frozenset({"Shape", "ShapeN", "Rank", "Size"})


def operations_that_take(definition: Any, number: int) -> frozenset[str] | None:
    """`definition`: of the traced function. None if it has no such argument. `Sub` is what subtracts it alone."""
    if number >= len(definition.signature.input_arg):
        return None
    names = {definition.signature.input_arg[number].name}
    found = set()
    for node in definition.node_def:  # in the order of what they take, as TensorFlow traces
        places = [place for place, name in enumerate(node.input) if name.partition(":")[0] in names]
        if places and node.op in _PASS_ON and places[0] == 0:
            names.add(node.name)
        elif places and node.op not in _ASK_FOR_SHAPES:
            found.add("Sub from" if node.op == "Sub" and places[0] == 0 else node.op)
    return frozenset(found)
