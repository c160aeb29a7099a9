"""`tb-retrace graphs-tab LOGDIR`: graphs of recorded traces, written for TensorBoard's own Graphs tab."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import time
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.sessions.session import Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.wording import count_text
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, names_text, open_logdir
from tb_retrace_plugin.commands.terminal import make_printable, plain
from tb_retrace_plugin.events.encode import FILE_SUFFIX as RECORDING_SUFFIX
from tb_retrace_plugin.events.encode import encode_file_version, event_file_name
from tb_retrace_plugin.events.framing import Frame, read_frames
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tb_retrace_plugin.events.graphs_tab import FILE_SUFFIX, encode_for_graphs_tab, run_of_graphs, tag_of, trace_in
from tb_retrace_plugin.graphs.read_graph import to_graph_def
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.schema import tags

#: The tab lists all graphs of a run in one menu, and TensorBoard holds them in memory.
_MAX_GRAPHS = 100


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "graphs-tab",
        help="write traces' graphs for TensorBoard's own Graphs tab",
        description="Writes graphs of recorded traces so that TensorBoard's own Graphs tab lists them: a run "
        "(retrace_graphs/…) per recording, a tag per trace. What is there already stays; delete the run to begin anew.",
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with recordings")
    parser.add_argument(
        "--function", metavar="NAME", action="append", help="traces of this function alone (repeat for several)"
    )
    parser.add_argument(
        "--trace", metavar="N", type=int, action="append", help="this trace of the function (repeat for several)"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Returns 0; 2 if there is nothing to write, or it cannot be written."""
    try:
        store = open_logdir(args.logdir)
    except NothingRecorded as error:
        return fail("graphs-tab", str(error))
    make_printable(sys.stdout)
    names = {group.function.name for group in store.functions}
    names |= {group.function.qualname for group in store.functions}
    for name in args.function or ():
        if name not in names:
            known = sorted({group.function.name for group in store.functions})
            return fail("graphs-tab", f"no function {name!r} in this recording. There are: {names_text(known)}")
    if args.trace and len(args.function or ()) != 1:
        return fail("graphs-tab", "--trace counts the traces of one function: say which with --function NAME.")
    logdir = os.path.expanduser(args.logdir)
    files, source = FileGraphs(logdir), GraphSource()
    root = logdir if os.path.isdir(logdir) else os.path.dirname(logdir) or "."
    found = 0
    for session in store.sessions:
        try:
            found += _write_session(root, session, _chosen(session, args), files, source)
        except OSError as error:
            return fail("graphs-tab", f"cannot write below {root}: {error.strerror}.")
    if not found:
        return fail("graphs-tab", "no graph of these traces can be written.")
    print(plain(f"Start tensorboard --logdir {root} and open its Graphs tab; reload the page if it is open already."))
    return 0


def _chosen(session: Session, args: argparse.Namespace) -> list[TraceEvent]:
    """Successful traces in the order of time; of many, the costliest."""
    events = [event for event in session.events.values() if not event.record.failed]
    if args.function:
        events = [e for e in events if {e.function.function.name, e.function.function.qualname} & set(args.function)]
    if args.trace:
        events = [event for event in events if event.record.n in args.trace]
    if len(events) > _MAX_GRAPHS:
        print(plain(f"{session.run}: {len(events):,} traces; only the {_MAX_GRAPHS} costliest are written."))
        costliest = sorted(events, key=lambda event: -(event.own_ns + (event.first_call_ns or 0)))
        kept = {event.seq for event in costliest[:_MAX_GRAPHS]}
        events = [event for event in events if event.seq in kept]
    return sorted(events, key=lambda event: event.seq)


def _write_session(
    root: str, session: Session, events: list[TraceEvent], files: FileGraphs, source: GraphSource
) -> int:
    """How many of the graphs are there now."""
    run = run_of_graphs(session.run, session.id, session.started_ns)
    written = _written(os.path.join(root, *run.split("/")))
    if written and session.end is None:
        # a file beside one that the recording may still write to would stop TensorBoard from following that one
        run += "_chosen"
        written |= _written(os.path.join(root, *run.split("/")))
    there = set(written.values())
    new = [event for event in events if tags.trace_tag(session.id, event.seq) not in there]
    already = len(events) - len(new)
    writer = None
    count = 0
    for event in new:
        name = f"{event.function.function.name} #{event.record.n}"
        try:
            graph_def = to_graph_def(source.graph(event, files.blob))
        except GraphError as error:
            print(plain(f"{name}: {error}"))
            continue
        if writer is None:
            writer = _open(os.path.join(root, *run.split("/")))
        tag = tag_of(event.record, written)
        written[tag] = ""
        writer.write(encode_for_graphs_tab(tag, graph_def, session.id, event.record))
        writer.flush()
        count += 1
    if writer is not None:
        writer.close()
        print(plain(f"{run}: {count_text(count, 'graph')} written."))
    if already:
        print(plain(f"{run}: {count_text(already, 'graph')} there already."))
    return count + already


def _open(directory: str) -> RecordWriter:
    os.makedirs(directory, exist_ok=True)
    now = time.time()
    name = event_file_name(now, socket.gethostname(), os.getpid()).removesuffix(RECORDING_SUFFIX)
    writer = RecordWriter(open(os.path.join(directory, name + FILE_SUFFIX), "xb"))  # noqa: SIM115
    writer.write(encode_file_version(now))
    return writer


def _written(directory: str) -> dict[str, str]:
    """The tags in a directory, and which trace each of them is."""
    found: dict[str, str] = {}
    if not os.path.isdir(directory):
        return found
    for name in sorted(os.listdir(directory)):
        if not name.endswith(FILE_SUFFIX):
            continue
        with open(os.path.join(directory, name), "rb") as file:
            for frame in read_frames(file):
                event = event_pb2.Event()
                try:
                    event.ParseFromString(frame.data if isinstance(frame, Frame) else b"")
                except (DecodeError, ValueError):
                    continue
                if (trace := trace_in(event)) is not None:
                    found[trace[0]] = trace[1]
    return found
