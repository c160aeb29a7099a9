"""Turns records into serialized `Event` protos, ready for any TFRecord writer.

Imported by the training process: standard library, protobuf and TensorBoard's own protos only, never TensorFlow.
"""

from __future__ import annotations

import re

from google.protobuf.message import Message
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2

from tb_retrace_plugin.schema import tags

#: Our event files end with this, which tells them from the user's own in the same directory.
FILE_SUFFIX = ".retrace"

_CONTENT = str(tags.SCHEMA_VERSION).encode("ascii")


def encode_record(tag: str, message: Message, wall_time: float, step: int = 0) -> bytes:
    """One record as a rank-0 string tensor under `tag`; `wall_time` is in unix seconds."""
    tensor = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING,
        tensor_shape=tensor_shape_pb2.TensorShapeProto(),
        string_val=[message.SerializeToString()],
    )
    return _event(tag, tensor, summary_pb2.DATA_CLASS_TENSOR, wall_time, step)


def encode_graph(sha256: str, compressed: bytes, wall_time: float) -> bytes:
    """One zlib-compressed GraphDef, as a blob sequence of length 1 (TensorBoard's loaders refuse rank 0)."""
    tensor = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING,
        tensor_shape=tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]),
        string_val=[compressed],
    )
    return _event(tags.graph_tag(sha256), tensor, summary_pb2.DATA_CLASS_BLOB_SEQUENCE, wall_time, 0)


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


def _event(tag: str, tensor: tensor_pb2.TensorProto, data_class: int, wall_time: float, step: int) -> bytes:
    metadata = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=tags.PLUGIN_NAME, content=_CONTENT),
        data_class=data_class,
    )
    value = summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)
    event = event_pb2.Event(wall_time=wall_time, step=step, summary=summary_pb2.Summary(value=[value]))
    return bytes(event.SerializeToString())
