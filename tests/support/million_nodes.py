"""Reads and compares two hostile graphs of about a million nodes: `python -m tests.support.million_nodes KIND`.

KIND: `alike`, `circle`, or `more` (than are compared).

Prints the counts, or why it was refused, as JSON. Meant to be run under limits of memory and processor time.
"""

from __future__ import annotations

import json
import sys

from tensorboard.compat.proto import function_pb2, node_def_pb2

from tb_retrace_plugin.graphs.difference import compare_graphs
from tb_retrace_plugin.graphs.read_graph import read_graph
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.schema import retrace_pb2 as pb

COUNT = 999_000


def content(kind: str, count: int) -> bytes:
    """A serialized GraphContent, put together by hand: messages for all nodes would take most of the time."""
    definition = function_pb2.FunctionDef()
    definition.signature.name = "__inference_f_0"
    parts = [definition.SerializeToString()]
    for number in range(count):
        if kind != "circle":  # one name, one op, each other's input
            node = node_def_pb2.NodeDef(name="<b>", op="Relu", input=["<b>"])
            parts = [*parts, *[field(node)] * count]
            break
        source = f"n{(number + 1) % count}:o:0"
        parts.append(field(node_def_pb2.NodeDef(name=f"n{number}", op="Merge", input=[source, "nowhere"])))
    return pb.GraphContent(functions=[b"".join(parts)]).SerializeToString()


def field(node: node_def_pb2.NodeDef) -> bytes:
    data = node.SerializeToString()
    assert len(data) < 128
    return bytes([3 << 3 | 2, len(data)]) + data


def main(kind: str) -> None:
    count = COUNT + 2000 if kind == "more" else COUNT
    a, b = (content(kind, number) for number in (count, count - 1))
    try:
        print(json.dumps(compare_graphs(read_graph(a), read_graph(b)).counts()))
    except GraphError as error:
        print(json.dumps(str(error)))


if __name__ == "__main__":
    main(sys.argv[1])
