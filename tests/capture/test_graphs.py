"""Graphs as they are stored and read back, against TensorFlow's own export of the same traces."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing import event_file_loader

from tb_retrace_plugin import record
from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.sessions import store as store_module
from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.record import graph_writer
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tb_retrace_plugin.events.packed import Unpacker
from tb_retrace_plugin.events.records import Record, decode_record
from tb_retrace_plugin.graphs.read_graph import read_graph, to_graph_def
from tb_retrace_plugin.graphs.slim import slim_graph
from tb_retrace_plugin.graphs.stored import GraphError, decode, encode
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.stores import load


def recorded(log_dir: Path) -> tuple[list[pb.Trace], dict[str, bytes]]:
    """Traces, and blobs of graphs by their hash: of those in traces' records too, as they would be by themselves."""
    traces, blobs, small = [], {}, {}
    for path in sorted(log_dir.rglob("*.retrace")):
        unpacker = Unpacker()
        for event in event_file_loader.LegacyEventFileLoader(str(path)).Load():
            for value in event.summary.value:
                tag = tags.parse_tag(value.tag)
                if tag is not None and tag.kind == "trace":
                    item = decode_record("r", value.tag, value.tensor.string_val[0], event.wall_time, unpacker)
                    assert isinstance(item, Record), item
                    assert isinstance(item.message, pb.Trace)
                    traces.append(item.message)
                    if item.graph:
                        small[item.message.graph_sha256] = encode(item.graph)
                elif tag is not None and tag.kind == "graph":
                    assert tag.key not in blobs, "a graph is written once"
                    blobs[tag.key] = value.tensor.string_val[0]
    assert small.keys().isdisjoint(blobs)
    return traces, {**blobs, **small}


def stored_graph(trace: pb.Trace, blobs: dict[str, bytes]) -> Any:
    return to_graph_def(read_graph(decode(trace.graph_sha256, blobs[trace.graph_sha256], blobs.get)))


def source(text: str) -> str:
    """The node of an input: `a` of `a:1`, `a:output:0` and `^a`."""
    return text.lstrip("^").partition(":")[0]


def node_parts(node: Any) -> tuple[str, list[str], dict[str, Any]]:
    attributes = {key: value.SerializeToString(deterministic=True) for key, value in node.attr.items()}
    return node.op, [source(text) for text in node.input], attributes


def assert_same_nodes(ours: Any, theirs: Any) -> None:
    mine = {node.name: node for node in ours}
    for node in theirs:
        if node.op == "Placeholder":
            continue  # an argument, whose name is another in a function
        op, inputs, attributes = node_parts(node)
        own_op, own_inputs, own_attributes = node_parts(mine[node.name])
        assert (own_op, len(own_inputs)) == (op, len(inputs))
        for attribute in attributes:
            if attribute != "_gradient_op_type" and not _names_a_function(node.attr[attribute]):
                assert own_attributes[attribute] == attributes[attribute], (node.name, attribute)


def _names_a_function(value: Any) -> bool:
    return bool(value.WhichOneof("value") == "func" or value.list.func)


@tf.function
def with_library(x: Any, text: Any) -> Any:
    parts = tf.split(x, 2, axis=-1)
    for _ in tf.range(2):
        x = tf.nn.relu(x)
    if tf.reduce_sum(x) > 0:
        x = inner(x)
    tf.print(text)
    return x, tf.unique(parts[0][0]), tf.strings.length(text)


@tf.function
def inner(x: Any) -> Any:
    return x * 2.0


@tf.function
def plain(x: Any, text: Any) -> Any:
    return tf.split(x, 2, axis=-1), tf.unique(x[0]), tf.strings.length(text)


@pytest.mark.parametrize("function", [with_library, plain])
def test_every_node_attribute_and_shape_is_as_tensorflow_exports_it(function: Any, tmp_path: Path) -> None:
    with record(tmp_path):
        concrete = function.get_concrete_function(tf.TensorSpec([None, 4]), tf.TensorSpec(None, tf.string))
    traces, blobs = recorded(tmp_path)
    ours = stored_graph(next(t for t in traces if not t.nested), blobs)
    theirs = concrete.graph.as_graph_def(add_shapes=True)
    assert_same_nodes(ours.node, theirs.node)
    assert bool(theirs.library.function) == (function is with_library)
    assert len(ours.library.function) == len(theirs.library.function)
    by_nodes = {tuple(n.name for n in f.node_def): f for f in ours.library.function}
    for function_def in theirs.library.function:
        assert_same_nodes(by_nodes[tuple(n.name for n in function_def.node_def)].node_def, function_def.node_def)


def test_inputs_lead_to_the_same_nodes(tmp_path: Path) -> None:
    with record(tmp_path):
        concrete = plain.get_concrete_function(tf.TensorSpec([None, 6]), tf.TensorSpec(None, tf.string))
    traces, blobs = recorded(tmp_path)
    ours = {node.name: node for node in stored_graph(traces[0], blobs).node}
    for node in concrete.graph.as_graph_def().node:
        assert [source(text) for text in ours[node.name].input] == [source(text) for text in node.input]


def gradient_through_calls_loops_and_branches() -> Any:
    weight, outside = tf.Variable(tf.ones([4, 4])), tf.ones([4])

    @tf.function
    def scale(y: Any) -> Any:
        return y @ weight * outside

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            for _ in tf.range(3):
                x = scale(x) if tf.reduce_sum(x) > 0 else x + outside
            loss = tf.reduce_sum(tf.map_fn(lambda row: row * outside, x))
        return tape.gradient(loss, weight)

    return step


def gradient_of_a_gradient() -> Any:
    weight = tf.Variable(tf.ones([4]))

    @tf.function
    def power(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * weight), (0, x))[1]

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(power(x))
            slope = tf.reduce_sum(inner.gradient(loss, weight))
        return outer.gradient(slope, weight)

    return step


def datasets() -> Any:
    outside = tf.ones([4])

    @tf.function
    def step(x: Any) -> Any:
        for row in tf.data.Dataset.from_tensor_slices(x).map(lambda row: row * outside):
            x += row
        return x

    return step


def lookups_in_captured_variables() -> Any:
    words, contexts = tf.Variable(tf.ones([5, 4])), tf.Variable(tf.ones([5, 4]))

    @tf.function
    def step(x: Any) -> Any:
        ids = tf.range(tf.shape(x)[0])
        return x * tf.nn.embedding_lookup(words, ids) - tf.nn.embedding_lookup(contexts, ids)

    return step


def a_large_constant() -> Any:
    numbers = [[float(i) for i in range(1000)]]

    @tf.function
    def step(x: Any) -> Any:
        return x[:, :1] * tf.constant(numbers)

    return step


@pytest.mark.parametrize(
    "make",
    [
        gradient_through_calls_loops_and_branches,
        gradient_of_a_gradient,
        datasets,
        lookups_in_captured_variables,
        a_large_constant,
    ],
)
def test_the_same_code_is_the_same_graph_and_another_shape_is_not(make: Any) -> None:
    def key(rows: int) -> str:
        concrete = make().get_concrete_function(tf.TensorSpec([rows, 4]))
        return slim_graph(tf_seam.function_graphs(tf_seam.traced_graph(concrete))).sha256

    assert key(2) == key(2)
    assert key(2) != key(3)


def test_a_gradient_in_between_makes_no_graph_another() -> None:
    """It adds outputs to the calls of functions within, which later traces call, too: no definition has those."""
    inner = tf.function(lambda x: tf.sin(x) * x * 3.0)
    middle = tf.function(lambda x: inner(x) + tf.reduce_sum(inner(x[:1])))
    x = tf.Variable([1.0, 2.0])

    def key() -> str:
        concrete = tf.function(lambda x: middle(x) * 2.0).get_concrete_function(x)
        found = slim_graph(tf_seam.function_graphs(tf_seam.traced_graph(concrete))).sha256
        with tf.GradientTape() as tape:
            value = concrete(x)
        tape.gradient(value, x)
        return found

    assert key() == key() == key()


class Scale:
    """Compared by identity."""

    def __init__(self, factors: list[float]) -> None:
        self.factors = factors


def test_another_large_constant_is_another_graph(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any, scale: Scale) -> Any:
        return x * tf.constant(scale.factors)

    ones, twos = Scale([1.0] * 1000 + [0.0]), Scale([2.0] * 1000 + [0.0])
    with record(tmp_path):
        for scale in (ones, twos, Scale(ones.factors)):
            f(tf.ones([1001]), scale)
    (a, b, c), _ = recorded(tmp_path)
    assert a.graph_sha256 == c.graph_sha256 != b.graph_sha256
    assert "its graph is the same but for fractions" in b.evidence
    assert "one object would do" not in b.evidence
    assert (c.verdict, c.closest_n) == ("avoidable", 2)


def test_a_graph_that_returns_something_else_is_not_the_same(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any, name: str, keyed: bool) -> Any:
        return {name: x + 1.0} if keyed else x + 1.0

    with record(tmp_path):
        for keyed in (False, True):
            for name in "ab":
                f(tf.ones([3]), name, keyed)
    (_, bare, _, keyed_by_name), _ = recorded(tmp_path)
    assert bare.verdict == "avoidable"
    assert "it makes no difference whether `name` is the one or the other" in bare.evidence
    assert keyed_by_name.verdict == "unknown"


def test_a_nested_function_with_a_variable_makes_no_graph_another(tmp_path: Path) -> None:
    weight = tf.Variable(2.0)

    @tf.function
    def inner(x: Any) -> Any:
        return x * weight

    @tf.function
    def f(x: Any, scale: Scale) -> Any:
        return inner(x)

    with record(tmp_path):
        for _ in range(2):
            f(tf.ones([3]), Scale([]))
    traces, _ = recorded(tmp_path)
    last = traces[-1]
    assert last.verdict == "avoidable"
    assert "the graph is the same" in last.evidence


def test_which_python_function_a_graph_calls_is_not_known(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any, scale: Scale) -> Any:
        return tf.numpy_function(lambda y: y * scale.factors[0], [x], tf.float32)

    with record(tmp_path):
        for factor in (1.0, 2.0):
            f(tf.ones([3]), Scale([factor]))
    traces, _ = recorded(tmp_path)
    assert len({trace.graph_sha256 for trace in traces}) == 1
    assert traces[-1].verdict == "unknown"
    assert "not known" in traces[-1].evidence


def test_the_same_python_function_is_known(tmp_path: Path) -> None:
    """By its code and what it closes over, whatever token each graph has for it."""

    def read(path: bytes) -> Any:
        return np.float32(len(path))

    def scaled(gain: float, x: Any) -> Any:
        return gain * x

    @tf.function
    def f(path: str, gain: float) -> Any:
        own = tf.py_function(functools.partial(scaled, gain), [1.0], tf.float32)
        return tf.numpy_function(read, [path], tf.float32) + own

    with record(tmp_path):
        for path, gain in (("a.npy", 1.0), ("b.npy", 1.0), ("c.npy", 2.0)):
            f(path, gain)
    traces, _ = recorded(tmp_path)
    assert [trace.verdict for trace in traces] == ["needed", "avoidable", "unknown"]
    assert "The graph holds `path` as a constant" in traces[1].evidence


def conv_step() -> Any:
    weights = [tf.Variable(tf.random.normal(shape)) for shape in ([3, 3, 1, 8], [3, 3, 8, 8], [8, 10])]

    @tf.function
    def train_step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            x = tf.nn.relu(tf.nn.conv2d(images, weights[0], 2, "SAME"))
            x = tf.nn.relu(tf.nn.conv2d(x, weights[1], 2, "SAME"))
            logits = tf.reduce_mean(x, axis=[1, 2]) @ weights[2]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    return train_step


def test_a_later_trace_takes_three_percent_of_its_graph(tmp_path: Path) -> None:
    train_step = conv_step()
    raw = []
    with record(tmp_path):
        for batch in range(1, 9):
            concrete = train_step.get_concrete_function(
                tf.TensorSpec([batch, 28, 28, 1]), tf.TensorSpec([batch], tf.int32)
            )
            raw.append(concrete.graph.as_graph_def(add_shapes=True).ByteSize())
    traces, blobs = recorded(tmp_path)
    sizes = [len(blobs[trace.graph_sha256]) for trace in traces]
    assert len(set(blobs)) == 8
    assert all(size <= 0.03 * whole for size, whole in zip(sizes[1:], raw[1:], strict=True)), (sizes, raw)
    for trace, whole in zip(traces, raw, strict=True):
        assert abs(stored_graph(trace, blobs).ByteSize() - whole) < 0.2 * whole


def test_what_is_left_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x + tf.constant([float(i) for i in range(1000)])

    with record(tmp_path / "a"):
        f(tf.ones([1000]))
    (trace,), _ = recorded(tmp_path / "a")
    assert (trace.graph_attributes_dropped, trace.graph_omitted) == (1, "")
    with record(tmp_path / "b", graphs=False):
        f(tf.ones([1, 1000]))
    (trace,), blobs = recorded(tmp_path / "b")
    assert (trace.graph_sha256, trace.graph_omitted, blobs) == ("", "recorded with graphs=False", {})
    monkeypatch.setattr(graph_writer, "MAX_GRAPH_NODES", 2)
    with record(tmp_path / "c"):
        f(tf.ones([2, 1000]))
        f(tf.ones([3, 1000]))
    traces, _ = recorded(tmp_path / "c")
    assert [trace.graph_omitted for trace in traces] == ["it has more than 2 nodes"] * 2
    assert [dict(trace.losses) for trace in traces] == [{"graphs_over_budget": n} for n in (1, 2)]
    monkeypatch.undo()
    monkeypatch.setattr(graph_writer, "MAX_GRAPH_BYTES_WRITTEN", 10)
    monkeypatch.setattr(graph_writer, "MAX_SMALL_BYTES", 0)
    with record(tmp_path / "d"):
        f(tf.ones([4, 1000]))
        f(tf.ones([5, 1000]))
    traces, _ = recorded(tmp_path / "d")
    assert [bool(t.graph_sha256) for t in traces] == [True, False]
    assert "MiB of graphs" in traces[1].graph_omitted


def test_bases_stay_within_their_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_writer, "MAX_BASE_MEMORY", 1 << 20)
    steps = [conv_step() for _ in range(4)]
    with record(tmp_path):
        for batch in (1, 2):
            for step in steps:  # one code, so one base; another code's pushes it out
                step.get_concrete_function(tf.TensorSpec([batch, 28, 28, 1]), tf.TensorSpec([batch], tf.int32))
    traces, blobs = recorded(tmp_path)
    assert len(traces) == 8
    for trace in traces:
        assert stored_graph(trace, blobs).node


def test_of_many_graphs_of_a_function_some_are_stored(tmp_path: Path) -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x + 1.0

    with record(tmp_path):
        for rows in range(1, 101):
            f(tf.ones([rows]))
    traces, blobs = recorded(tmp_path)
    stored = [trace.n for trace in traces if trace.graph_sha256]
    assert stored == [*range(1, 65), 70, 80, 90, 100]
    assert len(blobs) == len(stored)
    assert {trace.graph_omitted for trace in traces} == {"", "after 64 graphs of a function one of 10 is stored"}
    assert all(trace.nodes == traces[0].nodes for trace in traces)
    assert not traces[-1].losses


def test_graphs_that_a_verdict_needs_are_stored_however_many(tmp_path: Path) -> None:
    def make() -> Any:
        @tf.function
        def f(x: Any) -> Any:
            return x + 1.0

        return f

    with record(tmp_path):
        for _ in range(80):
            make()(tf.ones([2]))
    traces, _ = recorded(tmp_path)
    assert {trace.verdict for trace in traces[1:]} == {"avoidable"}
    assert len({trace.graph_sha256 for trace in traces}) == 1


def test_a_small_graph_lies_in_its_traces_record_and_is_found_there(tmp_path: Path) -> None:
    """Equal for what the readers of a recording see: the hash, and the graph as TensorFlow exports it."""

    @tf.function
    def f(x: Any, k: int) -> Any:
        return x * 2.0 + k

    with record(tmp_path):
        exported = [f.get_concrete_function(tf.TensorSpec([4]), k).graph.as_graph_def(add_shapes=True) for k in (1, 2)]
    assert b"retrace/graph/" not in next(tmp_path.rglob("*.retrace")).read_bytes()
    store = load(tmp_path)
    (session,) = store.sessions
    events = list(session.events.values())
    assert len({event.record.graph_sha256 for event in events}) == 2
    files, graphs = FileGraphs(str(tmp_path)), GraphSource()
    for event, theirs in zip(events, exported, strict=True):
        assert_same_nodes(to_graph_def(graphs.graph(event, files.blob)).node, theirs.node)


def test_small_graphs_that_a_reader_has_no_room_for_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_SMALL_GRAPHS_BYTES", 700)

    @tf.function
    def f(x: Any, k: int) -> Any:
        return x * 2.0 + k

    with record(tmp_path):
        for k in range(3):
            f(tf.ones([4]), k)
    events = [event for event in load(tmp_path).sessions[0].events.values() if event.function.function.name == "f"]
    graphs = GraphSource()
    assert graphs.graph(events[0], {}.get)
    with pytest.raises(GraphError, match="came before"):
        graphs.graph(events[2], {}.get)
