"""What comparing two stored graphs takes, by its parts.

`.venv/bin/python -m tests.benchmarks.graph_difference [--quick | --million]`.
Made-up train steps with as many nodes as MobileNetV2's (10.9k), a transformer of 46 layers (50k) and of 130 (141k),
from their stored content: reading, matching, the union, its words, and the JSON that the tab is sent. Seconds
of the processor, best of three.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from tb_retrace_plugin.analysis.pages.comparison import compare_traces
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.graphs.difference import compare_graphs
from tb_retrace_plugin.graphs.read_graph import GraphFunction, read_graph
from tb_retrace_plugin.graphs.words import sentence_and_details
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.labelled_graphs import Layer, block, train_step

#: Nodes of a block: norm, two dense layers, relu, their gradients and optimizer.
_NODES_OF_A_BLOCK = len(train_step(block("b")).labels) - len(train_step([]).labels)


def layers_of(nodes: int) -> list[Layer]:
    """Of a train step with about so many nodes."""
    return [layer for number in range(nodes // _NODES_OF_A_BLOCK) for layer in block(f"b{number}")]


def pairs_of(layers: Sequence[Layer]) -> dict[str, tuple[Sequence[Layer], int]]:
    """What a train step of these layers and batch 32 is compared with: other layers and their batch."""
    middle = len(layers) // 2
    inserted = [*layers[:middle], Layer("norm", "new"), *layers[middle:]]
    return {
        "another batch": (layers, 64),
        "equal": (layers, 32),
        "a layer inserted": (inserted, 32),
        "a block more": ([*layers, *block("more")], 32),
        "inserted, other batch": (inserted, 64),
    }


def content(layers: Sequence[Layer], batch: int) -> bytes:
    function = train_step(layers, batch=batch).function
    message = pb.GraphContent(functions=[function.data])
    shapes = message.shapes.add(inputs=function.inputs, nodes=function.nodes)
    for one in function.shapes:
        shapes.table.append(len(one))
        for shape in one:
            shapes.table.extend([len(shape or ()), *(shape or ())])  # type: ignore[list-item]
    return message.SerializeToString()


def event(data: bytes, functions: Sequence[GraphFunction], seq: int) -> TraceEvent:
    record = pb.Trace(seq=seq, n=seq, graph_sha256=hashlib.sha256(data).hexdigest(), nodes=len(functions[0].nodes))
    session = Session("s", "run", 0)
    return TraceEvent(record, session, FunctionGroup(session, 0, record.function), 1)


def best(what: Callable[[], Any]) -> tuple[float, Any]:
    found = []
    for _ in range(3):
        gc.collect()
        start = time.process_time()
        result = what()
        found.append(time.process_time() - start)
    return min(found), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="a graph of a million nodes, too")
    parser.add_argument("--quick", action="store_true", help="the smallest graph only")
    arguments = parser.parse_args()
    sizes = [10_900, *([] if arguments.quick else [50_000, 141_000]), *([990_000] if arguments.million else [])]
    print(f"{'nodes':>9}  {'pair':22} {'read':>6} {'compare':>8} {'words':>6} {'JSON':>6} {'all':>6}  CPU s; JSON")
    for size in sizes:
        layers = layers_of(size)
        pairs = pairs_of(layers)
        data_a = content(layers, 32)
        for name, (others, batch) in pairs.items():
            data_b = content(others, batch)
            read, (a, b) = best(lambda: (read_graph(data_a), read_graph(data_b)))  # noqa: B023
            compared, difference = best(lambda: compare_graphs(a, b))  # noqa: B023
            words, _ = best(lambda: sentence_and_details(difference))  # noqa: B023
            left, right = event(data_a, a, 1), event(data_b, b, 2)
            columns, text = best(lambda: json.dumps(compare_traces(left, right, a, b).answer))  # noqa: B023
            columns -= compared + words
            whole = read + compared + words + columns
            nodes = len(difference.graphs[0].a or ())
            print(
                f"{nodes:9,}  {name:22} {read:6.2f} {compared:8.2f} {words:6.2f} {columns:6.2f} {whole:6.2f}"
                f"  {len(text) / 1e6:.1f} MB  {difference.counts()}"
            )


if __name__ == "__main__":
    main()
