"""A recording with graphs of a few nodes, made without TensorFlow."""

from __future__ import annotations

from pathlib import Path

from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.graphs.slim import FunctionGraph, slim_graph
from tb_retrace_plugin.graphs.stored import encode as encode_graph
from tests.support.logdirs import Recording
from tests.support.stores import new_recording


def graph(rows: int, ops: int) -> FunctionGraph:
    definition = function_pb2.FunctionDef()
    definition.signature.name = "__inference_train_step_7"
    definition.signature.input_arg.add(name="x", type=1)
    definition.arg_attr[0].attr["_output_shapes"].list.shape.add().dim.add(size=rows)
    definition.signature.output_arg.add(name="identity", type=1)
    before = "x"
    for number in range(ops):
        node = definition.node_def.add(name=f"Relu_{number}", op="Relu", input=[before])
        node.attr["T"].type = 1
        before = f"Relu_{number}:activations:0"
    definition.ret["identity"] = before
    return FunctionGraph(definition, [(), ((rows,),)], [1], [1] * ops)


def record_small_graphs(logdir: Path, session: str = "session-1") -> Recording:
    """Traces 1 to 3 with graphs (another shape, then one op more); 4 without one; the graph of 5 is not there."""
    recording = new_recording(logdir, session)
    hashes = []
    for rows, ops in ((2, 3), (5, 3), (5, 4)):
        slim = slim_graph([graph(rows, ops)])
        hashes.append(slim.sha256)
        recording.file.write_bytes(encode.encode_graph(slim.sha256, encode_graph(slim.content), 1.0))
    recording.trace(shape=(2,), graph_sha256=hashes[0])
    recording.trace(shape=(5,), graph_sha256=hashes[1], closest_seq=1, closest_n=1)
    recording.trace(shape=(6,), graph_sha256=hashes[2], closest_seq=2, closest_n=2)
    recording.trace(shape=(7,), graph_omitted="it has more than 9 nodes", closest_seq=2, closest_n=2)
    recording.trace(shape=(8,), graph_sha256="0" * 64, closest_seq=2, closest_n=2)
    return recording
