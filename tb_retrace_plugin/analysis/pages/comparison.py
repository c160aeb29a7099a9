"""Two traces' graphs compared, as JSON; see docs/http_api.md, `compare` and `compare_node`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.graphs.attributes import shown_keys, text_of_shape, type_name, value_text
from tb_retrace_plugin.graphs.difference import (
    CHANGED,
    IN_A,
    IN_B,
    RENAMED,
    REWIRED,
    Difference,
    GraphDifference,
    changed_parts,
    compare_graphs,
)
from tb_retrace_plugin.graphs.nodes import Nodes
from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.slim import Shape
from tb_retrace_plugin.graphs.words import sentence_and_details

SCHEMA = 1
MAX_CONSUMERS = 100
_RESOURCE = 20  # DT_RESOURCE
#: Distinct lists of output shapes, by their number in `Shared.shapes`.
_ShapeLists = Sequence[tuple[Shape, ...]]


@dataclass(eq=False, slots=True)
class Comparison:
    """Kept while it is looked at: single nodes are asked for one by one."""

    difference: Difference
    answer: dict[str, Any]


def compare_traces(
    a: TraceEvent, b: TraceEvent, graph_a: Sequence[GraphFunction], graph_b: Sequence[GraphFunction]
) -> Comparison:
    """Raises GraphError if a graph is damaged or too large to be compared."""
    difference = compare_graphs(graph_a, graph_b)
    left_out = max(a.record.graph_attributes_dropped, b.record.graph_attributes_dropped)
    one_trace = (a.session.id, a.seq) == (b.session.id, b.seq)
    sentence, details = sentence_and_details(difference, left_out=left_out, one_trace=one_trace)
    lists = list(difference.shared.shapes)
    answer = {
        "schema": SCHEMA,
        "a": _side(a),
        "b": _side(b),
        "sentence": sentence,
        "details": details,
        "notices": [],
        "counts": difference.counts(),
        "graphs": [_graph(graph, lists) for graph in difference.graphs],
        "facts": _facts(difference, lists, graph_a, graph_b),
    }
    return Comparison(difference, answer)


def _side(event: TraceEvent) -> dict[str, Any]:
    record = event.record
    dropped = record.graph_attributes_dropped
    return {
        "session": event.session.id,
        "run": event.session.run,
        "seq": event.seq,
        "n": record.n,
        "step": record.step if record.HasField("step") else None,
        "time_ns": str(record.time_ns),
        "function": code_json(record.function),
        "sha256": record.graph_sha256,
        "nodes": record.nodes,
        "bytes": record.graph_bytes,
        "omitted": [f"{dropped:,} attributes larger than 1 KB"] if dropped else [],
    }


def _graph(graph: GraphDifference, lists: _ShapeLists) -> dict[str, Any]:
    a, b = graph.a, graph.b
    row_a, row_b = graph.row_a.tolist(), graph.row_b.tolist()
    names, ops = [], []
    for i, j in zip(row_a, row_b, strict=True):
        nodes, row = (b, j) if j >= 0 else (a, i)
        assert nodes is not None
        names.append(nodes.names[row])
        ops.append(nodes.ops[row])
    op_names = list(dict.fromkeys(ops))
    op_number = {op: number for number, op in enumerate(op_names)}
    renamed = np.flatnonzero(graph.flags & RENAMED).tolist()
    texts, shape_a, shape_b = _shape_columns(graph, lists)
    return {
        "name": graph.name,
        "name_a": a.name if a is not None else None,
        "name_b": b.name if b is not None else None,
        "counts": graph.counts(),
        "names": names,
        "op_names": op_names,
        "op": [op_number[op] for op in ops],
        "flags": graph.flags.tolist(),
        "renamed_node": renamed,
        "renamed_from": [a.names[row_a[row]] for row in renamed] if a is not None else [],
        "texts": texts,
        "shape_a": shape_a,
        "shape_b": shape_b,
        "calls": graph.calls.tolist(),
        "input_start": graph.input_start.tolist(),
        "input_node": graph.input_node.tolist(),
        "input_flags": graph.input_flags.tolist(),
    }


def _shape_columns(graph: GraphDifference, lists: _ShapeLists) -> tuple[list[str], list[int], list[int]]:
    """Texts of the first outputs' shapes; which of them each row has in a and in b."""
    columns = [_shape_numbers(graph.a, graph.row_a), _shape_numbers(graph.b, graph.row_b)]
    used = np.unique(np.concatenate(columns))  # of the lists of all graphs
    texts: dict[str, int] = {}
    numbers = []
    for number in used.tolist():
        shapes = lists[number] if number >= 0 else ()
        numbers.append(texts.setdefault(text_of_shape(shapes[0]), len(texts)) if shapes else -1)
    of_used = np.asarray(numbers, np.int64)
    in_a, in_b = (of_used[np.searchsorted(used, column)].tolist() for column in columns)
    return list(texts), in_a, in_b


def _shape_numbers(nodes: Nodes | None, rows: Any) -> Any:
    return np.full(len(rows), -1, np.int64) if nodes is None else np.where(rows >= 0, nodes.shape[rows], -1)


# --- facts ---


def _facts(
    difference: Difference, lists: _ShapeLists, a: Sequence[GraphFunction], b: Sequence[GraphFunction]
) -> dict[str, Any]:
    main = difference.graphs[0]
    arguments: dict[str, list[dict[str, str | None]]] = {"inputs": [], "captures": [], "variables": []}
    outputs = []
    for i, j in zip(main.row_a.tolist(), main.row_b.tolist(), strict=True):
        nodes, row = (main.b, j) if j >= 0 else (main.a, i)
        assert nodes is not None
        is_argument = row < nodes.arguments
        if not is_argument and row < len(nodes) - nodes.results:
            continue
        texts = {"a": _type_text(main.a, i, lists), "b": _type_text(main.b, j, lists)}
        if is_argument:
            kind, name = _argument(nodes, row)
            arguments[kind].append({"name": name, **texts})
        else:
            outputs.append({"name": nodes.names[row].removesuffix("_retval"), **texts})
    counts = _op_counts(a), _op_counts(b)
    ops = sorted({**counts[0], **counts[1]}, key=lambda op: (-abs(counts[0][op] - counts[1][op]), -counts[1][op], op))
    return {
        **arguments,
        "outputs": outputs,
        "ops": [{"op": op, "a": counts[0][op], "b": counts[1][op]} for op in ops],
    }


def _argument(nodes: Nodes, row: int) -> tuple[str, str]:
    """What is passed has a shape in its definition; what the graph captures has none; variables are resources."""
    definition = nodes.function.definition
    argument = definition.signature.input_arg[row]
    attributes = definition.arg_attr[row].attr if row in definition.arg_attr else {}
    name = argument.name
    if "_user_specified_name" in attributes:
        name = attributes["_user_specified_name"].s.decode("utf-8", "replace") or name
    if argument.type == _RESOURCE:
        return "variables", argument.name
    return ("inputs", name) if "_output_shapes" in attributes else ("captures", argument.name)


def _type_text(nodes: Nodes | None, row: int, lists: _ShapeLists) -> str | None:
    if nodes is None or row < 0:
        return None
    signature = nodes.function.definition.signature
    if row < nodes.arguments:
        kind = signature.input_arg[row].type
        shape = int(nodes.shape[row])
    else:
        kind = signature.output_arg[row - len(nodes) + nodes.results].type
        start, stop = nodes.start[row], nodes.start[row + 1]
        source = int(nodes.source[start]) if stop > start else -1
        shape = int(nodes.shape[source]) if source >= 0 else -1
    shapes = lists[shape] if shape >= 0 else ()
    return f"{type_name(kind)} {text_of_shape(shapes[0])}" if shapes else type_name(kind)


def _op_counts(functions: Sequence[GraphFunction]) -> Counter[str]:
    return Counter(node.op for function in functions for node in function.definition.node_def)


# --- nodes ---


def first_differences(comparison: Comparison, most: int) -> tuple[list[dict[str, Any]], int]:
    """Nodes that are not the same, in the order of graphs and of creation, at most `most`; how many there are."""
    found: list[dict[str, Any]] = []
    total = 0
    for number, graph in enumerate(comparison.difference.graphs):
        rows = np.flatnonzero(
            ((graph.flags & (IN_A | IN_B)) != IN_A | IN_B) | ((graph.flags & (CHANGED | REWIRED)) != 0)
        )
        total += len(rows)
        for row in rows[: max(0, most - len(found))].tolist():
            node = compare_node(comparison, number, row)
            assert node is not None
            flags = int(graph.flags[row])
            kinds = [kind for kind, is_so in _kinds(flags).items() if is_so]
            found.append(
                {
                    "graph": number,
                    "node": row,
                    "kinds": kinds,
                    **{key: node[key] for key in ("name_a", "name_b", "op_a", "op_b")},
                    "attributes": [one for one in node["attributes"] if one["changed"]],
                    "inputs": [one for one in node["inputs"] if one["changed"]],
                    "device_a": node["device_a"],
                    "device_b": node["device_b"],
                }
            )
    return found, total


def _kinds(flags: int) -> dict[str, bool]:
    return {
        "added": not flags & IN_A,
        "removed": not flags & IN_B,
        "changed": bool(flags & CHANGED),
        "rewired": bool(flags & REWIRED),
        "renamed": bool(flags & RENAMED),
    }


def compare_node(comparison: Comparison, graph_number: int, row: int) -> dict[str, Any] | None:
    """One row of one graph in full; None if there is no such row."""
    difference = comparison.difference
    if not 0 <= graph_number < len(difference.graphs):
        return None
    graph = difference.graphs[graph_number]
    if not 0 <= row < len(graph.flags):
        return None
    i, j = int(graph.row_a[row]), int(graph.row_b[row])
    left, right = _node(graph.a, i, graph.row_a, difference), _node(graph.b, j, graph.row_b, difference)
    names = comparison.answer["graphs"][graph_number]["names"]
    consumers = _consumers(graph, row)
    return {
        "name_a": left.name, "name_b": right.name, "op_a": left.op, "op_b": right.op,
        "device_a": left.device, "device_b": right.device,
        "attributes": _attributes(left, right, difference),
        "inputs": _inputs(left.inputs, right.inputs, both=i >= 0 and j >= 0),
        "consumers": [{"name": names[n], "node": n} for n in consumers[:MAX_CONSUMERS]],
        "consumers_left_out": max(0, len(consumers) - MAX_CONSUMERS),
    }  # fmt: skip


class _Input(NamedTuple):
    """`source`: row of the union, or the name of what is missing; the same on both sides, whatever its name."""

    text: str
    source: int | str
    port: int  # 0: a control input


@dataclass(slots=True)
class _Node:
    name: str | None = None
    op: str | None = None
    device: str | None = None
    rest: int = -1
    shapes: str | None = None  # of its outputs; "": it has none; None: not known
    inputs: tuple[_Input, ...] = ()


def _node(nodes: Nodes | None, row: int, rows: Any, difference: Difference) -> _Node:
    """`rows`: of `nodes`, by row of the union."""
    if nodes is None or row < 0:
        return _Node()
    rest, shape = int(nodes.rest[row]), int(nodes.shape[row])
    shapes = None
    if shape >= 0:
        shapes = ", ".join(text_of_shape(one) for one in list(difference.shared.shapes)[shape])
    ports = {number: text for text, number in difference.shared.ports.items()}
    missing = {number: text for text, number in difference.shared.missing.items()}
    of_row = np.zeros(len(nodes), np.int64)
    there = np.flatnonzero(rows >= 0)
    of_row[rows[there]] = there
    inputs = []
    for at in range(int(nodes.start[row]), int(nodes.start[row + 1])):
        source, port = int(nodes.source[at]), int(nodes.port[at])
        name = nodes.names[source] if source >= 0 else missing.get(-1 - source, "?")
        text = f"^{name}" if port == 0 else f"{name}:{ports[port]}" if ports.get(port) else name
        inputs.append(_Input(text, int(of_row[source]) if source >= 0 else name, port))
    device = difference.shared.rests[rest].device if rest >= 0 else ""
    return _Node(nodes.names[row], nodes.ops[row], device, rest, shapes, tuple(inputs))


def _attributes(left: _Node, right: _Node, difference: Difference) -> list[dict[str, Any]]:
    of_left = difference.shared.rests[left.rest].attr if left.rest >= 0 else {}
    of_right = difference.shared.rests[right.rest].attr if right.rest >= 0 else {}
    both = left.rest >= 0 and right.rest >= 0
    changed = set(changed_parts((left.rest, right.rest), difference.shared)) if both else set()
    rows = []
    if left.shapes or right.shapes:
        differs = both and left.shapes != right.shapes and None not in (left.shapes, right.shapes)
        texts = {"a": _or_none(left.shapes), "b": _or_none(right.shapes)}
        rows.append({"key": "output shapes", **texts, "changed": differs})
    for key in dict.fromkeys([*shown_keys(of_left), *shown_keys(of_right)]):
        text_a = value_text(of_left[key]) if key in of_left else None
        text_b = value_text(of_right[key]) if key in of_right else None
        rows.append({"key": key, "a": text_a, "b": text_b, "changed": key in changed})
    return rows


def _or_none(shapes: str | None) -> str | None:
    return "no output" if shapes == "" else shapes


def _inputs(a: Sequence[_Input], b: Sequence[_Input], *, both: bool) -> list[dict[str, Any]]:
    """Data inputs by their places; control inputs, which have none, by what they are. `both`: of two sides."""
    pairs: list[tuple[_Input | None, _Input | None]] = list(
        itertools.zip_longest([one for one in a if one.port], [one for one in b if one.port])
    )
    control_a = {one.source: one for one in a if not one.port}
    control_b = {one.source: one for one in b if not one.port}
    pairs += [(control_a.get(key), control_b.get(key)) for key in {**control_b, **control_a}]
    return [
        {
            "a": left.text if left is not None else None,
            "b": right.text if right is not None else None,
            "changed": both and (left and left[1:]) != (right and right[1:]),
        }
        for left, right in pairs
    ]


def _consumers(graph: GraphDifference, row: int) -> list[int]:
    edges = np.flatnonzero(graph.input_node == row)
    found: list[int] = np.unique(np.searchsorted(graph.input_start, edges, side="right") - 1).tolist()
    return found
