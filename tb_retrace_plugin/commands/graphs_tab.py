"""`tb-retrace graphs-tab`: graphs of recorded traces, written so that TensorBoard's own Graphs tab lists them."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from tensorboard.compat.proto import config_pb2, event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

from tb_retrace_plugin.analysis.graph_source import GraphSource
from tb_retrace_plugin.analysis.session import Session, TraceEvent
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, names_text, open_logdir
from tb_retrace_plugin.commands.terminal import plain
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tb_retrace_plugin.graphs.read_graph import to_graph_def
from tb_retrace_plugin.graphs.stored import GraphError

#: As TensorFlow's own summary of a function's graph is marked (`tf.summary.trace_export`).
_PLUGIN, _CONTENT = "graph_run_metadata_graph", b"1"
_SUFFIX = ".retrace-graphs"
#: Graphs written unless more are named: the tab lists them all in one menu.
_MAX_TRACES = 100


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "graphs-tab",
        help="write traces' graphs for TensorBoard's own Graphs tab",
        description="Writes the graphs of recorded traces beside the recording (<run>_graphs), one tag per trace, so "
        "that TensorBoard's Graphs tab lists them. Running it again replaces what it wrote before.",
    )
    parser.add_argument("logdir", metavar="LOGDIR")
    parser.add_argument("--function", metavar="NAME", help="traces of this function alone")
    parser.add_argument(
        "--trace", metavar="N", type=int, action="append", help="this trace of the function (repeat for several)"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    try:
        store = open_logdir(args.logdir)
    except NothingRecorded as error:
        return fail("graphs-tab", str(error))
    names = sorted({group.function.name for group in store.functions})
    if args.function is not None and args.function not in names:
        return fail("graphs-tab", f"no function {args.function!r} in this recording. There are: {names_text(names)}")
    if args.trace and args.function is None:
        return fail("graphs-tab", "--trace counts the traces of one function: say which with --function NAME.")
    logdir = os.path.expanduser(args.logdir)
    files, source = FileGraphs(logdir), GraphSource()
    written = 0
    for session in store.sessions:
        written += _write_session(logdir, session, _chosen(session, args), files, source)
    if not written:
        return fail("graphs-tab", "none of these traces has a stored graph.")
    print(
        plain(f"tb-retrace graphs-tab: {written} graphs written. tensorboard --logdir {logdir}, then the Graphs tab.")
    )
    return 0


def _chosen(session: Session, args: argparse.Namespace) -> list[TraceEvent]:
    """User functions' successful traces, in time order; of many, the first of each function and the costliest."""
    events = [event for event in session.events.values() if not event.record.failed]
    if args.function is not None:
        events = [event for event in events if event.function.function.name == args.function]
        if args.trace:
            return [event for event in events if event.record.n in args.trace]
    else:
        events = [event for event in events if not event.function.function.library]
    if len(events) > _MAX_TRACES:
        print(plain(f"{session.run}: {len(events)} traces; the {_MAX_TRACES} costliest are written."))
        cost = sorted(events, key=lambda event: -(event.trace_ns + (event.first_call_ns or 0)))
        kept = {event.seq for event in cost[:_MAX_TRACES]}
        events = [event for event in events if event.seq in kept]
    return events


def _write_session(
    logdir: str, session: Session, events: list[TraceEvent], files: FileGraphs, source: GraphSource
) -> int:
    graphs = []
    for event in events:
        try:
            graphs.append((event, source.graph(event.record, files.blob)))
        except GraphError as error:
            print(plain(f"{event.function.function.name} #{event.record.n}: {error}"))
    if not graphs:
        return 0
    directory = os.path.join(logdir, *session.run.split("/")) + "_graphs" if session.run != "." else logdir + "_graphs"
    os.makedirs(directory, exist_ok=True)
    for name in os.listdir(directory):
        if name.endswith(f"{session.id}{_SUFFIX}"):
            os.remove(os.path.join(directory, name))
    path = os.path.join(directory, f"events.out.tfevents.{int(time.time())}.{session.id}{_SUFFIX}")
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        writer.write(event_pb2.Event(wall_time=time.time(), file_version="brain.Event:2").SerializeToString())
        for event, functions in graphs:
            writer.write(_encode(event, to_graph_def(functions)))
    return len(graphs)


def _encode(event: TraceEvent, graph_def: Any) -> bytes:
    record = event.record
    metadata = config_pb2.RunMetadata()
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph_def)
    step = f", step {record.step}" if record.HasField("step") else ""
    value = summary_pb2.Summary.Value(
        tag=f"{record.function.name} #{record.n}{step}",
        tensor=tensor_pb2.TensorProto(
            dtype=types_pb2.DT_STRING,
            tensor_shape=tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]),
            string_val=[metadata.SerializeToString()],
        ),
        metadata=summary_pb2.SummaryMetadata(
            plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=_PLUGIN, content=_CONTENT),
            data_class=summary_pb2.DATA_CLASS_BLOB_SEQUENCE,
        ),
    )
    summary = event_pb2.Event(wall_time=record.time_ns / 1e9, step=record.n, summary=summary_pb2.Summary(value=[value]))
    return bytes(summary.SerializeToString())
