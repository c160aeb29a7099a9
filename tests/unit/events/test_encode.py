from __future__ import annotations

import subprocess
import sys

import pytest
from tensorboard.compat.proto import event_pb2, summary_pb2, types_pb2

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags


def parse(data: bytes) -> event_pb2.Event:
    return event_pb2.Event.FromString(data)


def test_a_record_is_a_rank_0_string_tensor_of_our_plugin() -> None:
    trace = pb.Trace(seq=7, kind="first")
    event = parse(encode.encode_record(tags.trace_tag("a-1", 7), trace.SerializeToString(), wall_time=12.5))
    (value,) = event.summary.value
    assert (event.wall_time, event.step, value.tag) == (12.5, 0, "retrace/trace/a-1/7")
    assert value.metadata.plugin_data.plugin_name == "retrace"
    assert value.metadata.plugin_data.content == b"2"
    assert value.metadata.data_class == summary_pb2.DATA_CLASS_TENSOR
    assert value.tensor.dtype == types_pb2.DT_STRING
    assert not value.tensor.tensor_shape.dim
    assert not value.tensor.tensor_shape.unknown_rank
    assert pb.Trace.FromString(value.tensor.string_val[0]) == trace


def test_a_graph_is_a_blob_sequence_of_length_1() -> None:
    (value,) = parse(encode.encode_graph("ab12", b"\x00blob", wall_time=1.0)).summary.value
    assert value.tag == "retrace/graph/ab12"
    assert value.metadata.data_class == summary_pb2.DATA_CLASS_BLOB_SEQUENCE
    assert [dim.size for dim in value.tensor.tensor_shape.dim] == [1]
    assert list(value.tensor.string_val) == [b"\x00blob"]


def test_the_file_version_is_what_tensorboard_expects() -> None:
    assert parse(encode.encode_file_version(2.0)).file_version == "brain.Event:2"


@pytest.mark.parametrize("host", ["host", "ho st/../x", "hôst", ""])
def test_file_names_are_ours_and_safe(host: str) -> None:
    name = encode.event_file_name(1_700_000_000.25, host, 42)
    assert "tfevents" in name
    assert name.endswith(".42.retrace")
    assert name.isascii()
    assert "/" not in name
    assert " " not in name


def test_file_names_sort_by_time_within_a_second() -> None:
    names = [encode.event_file_name(started, "h", 1) for started in (99.5, 1000.0, 1000.000001, 1000.1)]
    assert names == sorted(set(names))


def test_importing_it_does_not_import_tensorflow() -> None:
    code = "import sys; import tb_retrace_plugin.events.encode; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
