"""Turns records into serialized `Event` protos, ready for any TFRecord writer.

Imported by the training process: standard library, protobuf and TensorBoard's own protos only, never TensorFlow.
"""

from __future__ import annotations

import re
import threading

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2

from tb_retrace_plugin.schema import tags

#: Our event files end with this, which tells them from the user's own in the same directory.
FILE_SUFFIX = ".retrace"

_CONTENT = str(tags.SCHEMA_VERSION).encode("ascii")


def encode_record(tag: str, payload: bytes, wall_time: float) -> bytes:
    """One serialized record as a rank-0 string tensor under `tag`; `wall_time` is in unix seconds."""
    return _events.record.encode(tag, payload, wall_time)


def encode_graph(sha256: str, stored: bytes, wall_time: float) -> bytes:
    """One serialized StoredGraph, as a blob sequence of length 1 (TensorBoard's loaders refuse rank 0)."""
    return _events.graph.encode(tags.graph_tag(sha256), stored, wall_time)


def encode_file_version(wall_time: float) -> bytes:
    """The first event of every event file."""
    return bytes(event_pb2.Event(wall_time=wall_time, file_version="brain.Event:2").SerializeToString())


def event_file_name(started: float, host: str, pid: int) -> str:
    """A name that TensorBoard reads (`tfevents`) and that is ours (`FILE_SUFFIX`); `started` in unix seconds.

    Names sort by time, to the microsecond: two recordings of one process never share a file.
    """
    return f"events.out.tfevents.{started:017.6f}.{safe_host(host)}.{pid}{FILE_SUFFIX}"


def safe_host(host: str) -> str:
    """A host's name as it stands in a file's name."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", host) or "localhost"


class _ReusedEvent:
    """An Event that is filled in anew for each datum: building its seven messages takes longer than all else."""

    def __init__(self, data_class: int, rank: int) -> None:
        shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)] * rank)
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, tensor_shape=shape, string_val=[b""])
        metadata = summary_pb2.SummaryMetadata(
            plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=tags.PLUGIN_NAME, content=_CONTENT),
            data_class=data_class,
        )
        value = summary_pb2.Summary.Value(metadata=metadata, tensor=tensor)
        self._event = event_pb2.Event(summary=summary_pb2.Summary(value=[value]))
        self._value = self._event.summary.value[0]

    def encode(self, tag: str, content: bytes, wall_time: float) -> bytes:
        self._event.wall_time = wall_time
        self._value.tag = tag
        self._value.tensor.string_val[0] = content
        try:
            return bytes(self._event.SerializeToString())
        finally:
            self._value.tensor.string_val[0] = b""  # a graph may be large


class _Events(threading.local):
    def __init__(self) -> None:
        self.record = _ReusedEvent(summary_pb2.DATA_CLASS_TENSOR, rank=0)
        self.graph = _ReusedEvent(summary_pb2.DATA_CLASS_BLOB_SEQUENCE, rank=1)


_events = _Events()
