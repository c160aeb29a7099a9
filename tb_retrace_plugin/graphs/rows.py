"""One function of a graph as columns: a row per argument, node and result, in creation order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.slim import Shape
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.graphs.wire import node_spans

ARGUMENT, RESULT = "Placeholder", "_Retval"


@dataclass(frozen=True, slots=True)
class Rows:
    """`contents`: equal bytes for equal nodes (name, op, inputs, attributes). `inputs`: as they are written in the node.

    `arguments`: how many rows at the start are arguments; `nodes`: how many after them are nodes; the rest are results.
    """

    function: GraphFunction
    names: Sequence[str]
    ops: Sequence[str]
    inputs: Sequence[tuple[str, ...]]
    contents: Sequence[bytes]
    arguments: int
    nodes: int

    def __len__(self) -> int:
        return len(self.names)

    def shapes(self, row: int) -> tuple[Shape, ...] | None:
        """Of the row's outputs; None if they are not known."""
        number = self.shape_number(row)
        return None if number < 0 else self.function.shapes[number]

    def shape_number(self, row: int) -> int:
        """Which of the function's lists of shapes the row has; -1: not known."""
        function = self.function
        if not function.nodes and not function.inputs:
            return -1
        if row < self.arguments:
            return function.inputs[row]
        row -= self.arguments
        return function.nodes[row] if row < self.nodes else -1


def rows_of(function: GraphFunction) -> Rows:
    """Raises GraphError if two nodes have one name: then nothing says which of them an input means."""
    definition, data = function.definition, function.data
    signature = definition.signature
    arguments, results = list(signature.input_arg), list(signature.output_arg)
    nodes = definition.node_def
    names = [a.name for a in arguments] + [node.name for node in nodes] + [f"{r.name}_retval" for r in results]
    if len(set(names)) != len(names):
        raise GraphError("it is damaged (two of its nodes have the same name)")
    ret = definition.ret
    return Rows(
        function=function,
        names=names,
        ops=[ARGUMENT] * len(arguments) + [node.op for node in nodes] + [RESULT] * len(results),
        inputs=[()] * len(arguments)
        + [tuple(node.input) for node in nodes]
        + [(ret[r.name],) if r.name in ret else () for r in results],
        contents=[b"%s %d" % (a.name.encode(), a.type) for a in arguments]
        + [data[start:end] for start, end in node_spans(data)]
        + [b"%s %s" % (r.name.encode(), ret[r.name].encode() if r.name in ret else b"") for r in results],
        arguments=len(arguments),
        nodes=len(nodes),
    )


def source_of(text: str) -> tuple[str, bool]:
    """The node that an input comes from, and whether it only says "after": `a` of `a:output:0`, `^a`."""
    if text.startswith("^"):
        return text[1:], True
    return text.partition(":")[0], False


def sources(rows: Rows) -> list[list[tuple[int, bool]]]:
    """For each row the rows that its inputs come from, with whether they are control inputs; unknown ones left out."""
    index = {name: row for row, name in enumerate(rows.names)}
    found: list[list[tuple[int, bool]]] = []
    known: dict[str, tuple[int, bool] | None] = {}
    for inputs in rows.inputs:
        row_sources = []
        for text in inputs:
            if text not in known:
                name, control = source_of(text)
                at = index.get(name)
                known[text] = None if at is None else (at, control)
            if (source := known[text]) is not None:
                row_sources.append(source)
        found.append(row_sources)
    return found


def digest(functions: Sequence[GraphFunction]) -> bytes:
    """Orders two graphs, so that comparing them either way round is one computation."""
    whole = hashlib.sha256()
    for function in functions:
        whole.update(len(function.data).to_bytes(8, "little") + function.data + repr(function.shapes).encode())
        whole.update(repr(function.inputs).encode() + repr(function.nodes).encode())
    return whole.digest()
