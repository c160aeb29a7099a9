"""Graphs of traces as TensorBoard's own Graphs tab reads them: where they lie, what they are called, and found again.

They lie in a run of their own per session, beside the recording: `retrace_graphs/<when it started>` for what is in
`retrace`. Source of the format: tensorboard/plugins/graph/graphs_plugin.py and `tf.summary.trace_export`.
"""

from __future__ import annotations

import time
from collections.abc import Container
from typing import Any, NamedTuple

from tensorboard.compat.proto import config_pb2, event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: As TensorFlow marks its own summary of a function's graph.
_PLUGIN, _CONTENT = "graph_run_metadata_graph", b"1"
#: Ends the names of our files with such graphs.
FILE_SUFFIX = ".retrace-graphs"
_RUN, _GRAPHS_RUN = "retrace", "retrace_graphs"


class Place(NamedTuple):
    """Where the Graphs tab lists a trace's graph."""

    run: str
    tag: str


def run_of_graphs(run: str, session: str, started_ns: int) -> str:
    """The run for the graphs of a session in `run`. Both are relative to a logdir, as TensorBoard names them."""
    parts = [part for part in run.split("/") if part not in ("", ".")]
    if _RUN in parts:
        at = len(parts) - 1 - parts[::-1].index(_RUN)
        parts[at] = _GRAPHS_RUN
    else:
        parts.append(_GRAPHS_RUN)
    seconds = min(max(0, started_ns // 1_000_000_000), 4_000_000_000)
    started = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(seconds))
    return "/".join([*parts, f"{started}_{session.rpartition('-')[2]}"])


def tag_of(trace: pb.Trace, taken: Container[str]) -> str:
    """`train_step #3, step 12`; with its place, and then its number in the session, where others are called so too."""
    step = f", step {trace.step}" if trace.HasField("step") else ""
    tag = f"{trace.function.name} #{trace.n}{step}"
    if tag not in taken:
        return tag
    place = f"{trace.function.file.replace(chr(92), '/').rpartition('/')[2]}:{trace.function.line}"
    placed = f"{tag} ({place})"
    return placed if placed not in taken else f"{tag} ({place}, trace {trace.seq})"


def encode_for_graphs_tab(tag: str, graph_def: Any, session: str, trace: pb.Trace) -> bytes:
    """A serialized Event; its display name, which the Graphs tab does not show, says which trace it is."""
    metadata = config_pb2.RunMetadata()
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph_def)
    shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)])
    value = summary_pb2.Summary.Value(
        tag=tag,
        tensor=tensor_pb2.TensorProto(
            dtype=types_pb2.DT_STRING, tensor_shape=shape, string_val=[metadata.SerializeToString()]
        ),
        metadata=summary_pb2.SummaryMetadata(
            display_name=tags.trace_tag(session, trace.seq),
            plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=_PLUGIN, content=_CONTENT),
            data_class=summary_pb2.DATA_CLASS_BLOB_SEQUENCE,
        ),
    )
    event = event_pb2.Event(wall_time=trace.time_ns / 1e9, step=trace.n, summary=summary_pb2.Summary(value=[value]))
    return bytes(event.SerializeToString())


def trace_in(event: Any) -> tuple[str, str] | None:
    """(tag, which trace) of an Event that `encode_for_graphs_tab` made; None for any other."""
    for value in event.summary.value:
        if value.metadata.plugin_data.plugin_name == _PLUGIN:
            return value.tag, value.metadata.display_name
    return None


def list_graphs_tab(provider: Any, context: Any, experiment_id: str) -> dict[str, Place]:
    """Which trace (as `retrace/trace/<session>/<seq>`) lies where. Raises what the data provider raises."""
    listing = provider.list_blob_sequences(context, experiment_id=experiment_id, plugin_name=_PLUGIN)
    found: dict[str, Place] = {}
    for run in sorted(listing):
        if _GRAPHS_RUN in run.split("/"):
            for tag, series in listing[run].items():
                found.setdefault(series.display_name, Place(run, tag))
    return found
