"""What is said of two traces, against TensorFlow's own GraphDefs of them, counted node by node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.pages.comparison import compare_traces
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tests.support.stores import load

_HIDDEN = ("_output_shapes", "_user_specified_name", "shape")


def compared(log_dir: Path, function: Any, a: Sequence[Any], b: Sequence[Any]) -> tuple[dict[str, Any], Any, Any]:
    """Our answer, and both GraphDefs as TensorFlow exports them."""
    with record(log_dir):
        graph_defs = [
            function.get_concrete_function(*arguments).graph.as_graph_def(add_shapes=True) for arguments in (a, b)
        ]
    (session,) = load(log_dir).sessions
    left, right = (session.events[seq] for seq in (1, 2))
    files, source = FileGraphs(str(log_dir)), GraphSource()
    answer = compare_traces(left, right, *(source.graph(event, files.blob) for event in (left, right))).answer
    return answer, graph_defs[0], graph_defs[1]


def counted(a: Any, b: Any) -> dict[str, int]:
    """By names, which mean the same on both sides in the functions below."""
    left, right = {node.name: node for node in a.node}, {node.name: node for node in b.node}
    both = left.keys() & right.keys()
    changed = {
        name for name in both if parts(left[name]) != parts(right[name]) or shapes(left[name]) != shapes(right[name])
    }
    rewired = {name for name in both if sources(left[name]) != sources(right[name])}
    return {
        "same": len(both - changed - rewired),
        "changed": len(changed),
        "rewired": len(rewired),
        "added": len(right.keys() - left.keys()),
        "removed": len(left.keys() - right.keys()),
        "renamed": 0,
    }


def parts(node: Any) -> Any:
    return node.op, {key: value for key, value in node.attr.items() if key not in _HIDDEN}


def shapes(node: Any) -> Any:
    return node.attr["_output_shapes"]


def sources(node: Any) -> list[str]:
    return [text.removesuffix(":0") for text in node.input]


def of_ours(answer: dict[str, Any]) -> dict[str, int]:
    """Without results, which a GraphDef lacks."""
    (graph,) = answer["graphs"]
    rows = [flags for op, flags in zip(graph["op"], graph["flags"], strict=True) if graph["op_names"][op] != "_Retval"]
    both = [flags for flags in rows if flags & 3 == 3]
    return {
        "same": sum(not flags & 12 for flags in both),
        "changed": sum(bool(flags & 4) for flags in both),
        "rewired": sum(bool(flags & 8) for flags in both),
        "added": sum(flags & 3 == 2 for flags in rows),
        "removed": sum(flags & 3 == 1 for flags in rows),
        "renamed": sum(bool(flags & 16) for flags in rows),
    }


@tf.function(autograph=False)
def step(x: Any, kind: str) -> Any:
    y = tf.nn.relu(x @ tf.ones((4, 4), name="weight"), name="first")
    if kind == "more":
        y = tf.tanh(y, name="only_more")
        y = tf.concat([y, y], 0, name="twice")
    if kind == "other constant":
        y = tf.multiply(y, tf.constant(3.0, name="factor"), name="times")
    else:
        y = tf.multiply(y, tf.constant(2.0, name="factor"), name="times")
    return tf.reduce_sum(tf.subtract(x, y[:3], name="minus") if kind == "other input" else y[:3], name="sum")


def spec(*shape: int | None) -> Any:
    return tf.TensorSpec(shape, tf.float32)


@pytest.mark.parametrize(
    ("a", "b", "differs"),
    [
        ((spec(3, 4), "plain"), (spec(5, 4), "plain"), {"changed"}),
        ((spec(3, 4), "plain"), (spec(None, 4), "plain"), {"changed"}),
        ((spec(3, 4), "plain"), (spec(3, 4), "other constant"), {"changed"}),
        ((spec(3, 4), "plain"), (spec(3, 4), "more"), {"added", "changed", "rewired"}),
        ((spec(3, 4), "more"), (spec(3, 4), "plain"), {"removed", "changed", "rewired"}),
        ((spec(3, 4), "plain"), (spec(3, 4), "other input"), {"added", "rewired"}),
        ((spec(3, 4), "more"), (spec(5, 4), "other constant"), {"changed", "removed", "rewired"}),
    ],
)
def test_counts_are_those_of_the_graphdefs(tmp_path: Path, a: Any, b: Any, differs: set[str]) -> None:
    function = tf.function(step.python_function, autograph=False)
    answer, left, right = compared(tmp_path, function, a, b)
    truth = counted(left, right)
    assert {kind for kind, number in truth.items() if number and kind != "same"} == differs, "the case is another one"
    assert of_ours(answer) == truth
    numbers = [int(number) for number in re.findall(r"(\d+) (?:of|op|are|is|attribute|output)", answer["sentence"])]
    gone, new, total = truth["removed"], truth["added"], len(left.node)
    if gone and new:
        assert numbers == [gone, total, new]
    elif gone:
        assert numbers == [gone, total]
    elif new:
        assert numbers == [new]
    else:
        assert numbers[0] == total
    ops = {row["op"]: (row["a"], row["b"]) for row in answer["facts"]["ops"]}
    for op, count in ops.items():
        assert count == tuple(sum(node.op == op for node in side.node) for side in (left, right))
