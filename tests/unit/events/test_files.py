from __future__ import annotations

import os
from pathlib import Path

import pytest
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, types_pb2

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.events.files import find_event_files, read_logdir
from tb_retrace_plugin.events.framing import Frame
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import EventFile, Recording, write_recording


def read(logdir: Path) -> tuple[list[Record], list[Problem]]:
    items = list(read_logdir(str(logdir)))
    return [i for i in items if isinstance(i, Record)], [i for i in items if isinstance(i, Problem)]


def trace_numbers(records: list[Record]) -> list[int]:
    return [r.message.seq for r in records if isinstance(r.message, pb.Trace)]


def test_reads_every_record_with_its_run_and_time(tmp_path: Path) -> None:
    write_recording(tmp_path / "fit", traces=5)
    records, problems = read(tmp_path)
    assert problems == []
    assert {r.run for r in records} == {"fit/retrace"}
    assert trace_numbers(records) == [1, 2, 3, 4, 5]
    assert [r.tag.kind for r in records].count("end") == 1
    assert records[0].tag.kind == "session"
    assert records[0].wall_time == 1_700_000_000


def test_finds_our_files_at_any_depth_and_leaves_others_alone(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=1, session="top")
    write_recording(tmp_path / "a" / "b", traces=1, session="deep")
    worker = tmp_path / "c" / "retrace" / "worker1"
    worker.mkdir(parents=True)
    EventFile(tmp_path / "d").path.rename(worker / encode.event_file_name(1.0, "h", 1))
    (tmp_path / "a" / "events.out.tfevents.1.host").write_bytes(b"the user's own scalars")
    (tmp_path / "a" / "notes.retrace").write_bytes(b"not an event file")
    found = list(find_event_files(str(tmp_path)))
    assert [f[0] for f in found if not isinstance(f, Problem)] == ["a/b/retrace", "c/retrace/worker1", "retrace"]
    assert len(found) == 3


def test_the_run_of_the_logdir_itself_is_a_dot_as_in_tensorboard(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=1)
    records, _ = read(tmp_path / "retrace")
    assert {r.run for r in records} == {"."}


def test_one_event_file_can_be_read_by_its_path(tmp_path: Path) -> None:
    recording = write_recording(tmp_path, traces=2)
    records, _ = read(recording.file.path)
    assert trace_numbers(records) == [1, 2]


def test_symbolic_links_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    write_recording(tmp_path / "elsewhere" / "run", traces=1)
    logdir = tmp_path / "logs"
    logdir.mkdir()
    (logdir / "linked").symlink_to(tmp_path / "elsewhere")
    (logdir / "loop").symlink_to(logdir)
    records, problems = read(logdir)
    assert trace_numbers(records) == [1]
    assert problems == []


def test_a_cut_last_record_is_told_with_its_file_and_all_before_it_is_kept(tmp_path: Path) -> None:
    path = write_recording(tmp_path, traces=4).file.path
    path.write_bytes(path.read_bytes()[:-10])
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1, 2, 3, 4]
    assert str(path) in problem.text
    assert "cut off" in problem.text


def test_damage_in_the_middle_leaves_out_one_record_and_says_so(tmp_path: Path) -> None:
    path = write_recording(tmp_path, traces=4).file.path
    data = path.read_bytes()
    place = data.index(b"retrace/trace/session-1/2") + 200
    path.write_bytes(data[:place] + bytes([data[place] ^ 0x20]) + data[place + 1 :])
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1, 3, 4]
    assert "damaged" in problem.text
    assert str(path) in problem.text


def test_junk_in_the_middle_ends_the_file_and_says_so(tmp_path: Path) -> None:
    recording = Recording(EventFile(tmp_path))
    recording.trace()
    recording.file.write_raw(b"\x00junk" * 10)
    recording.trace()
    recording.file.close()
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1]
    assert problem.severity == "error"
    assert "damaged at byte" in problem.text


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 4096], ids=["empty", "short", "junk"])
def test_a_file_that_holds_nothing_of_use_does_not_hide_the_others(tmp_path: Path, content: bytes) -> None:
    write_recording(tmp_path / "good", traces=2)
    bad = tmp_path / "bad" / "events.out.tfevents.1.h.retrace"
    bad.parent.mkdir()
    bad.write_bytes(content)
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1, 2]
    assert str(bad) in problem.text


def test_an_unreadable_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    directory = tmp_path / "events.out.tfevents.1.h.retrace"
    write_recording(tmp_path / "good", traces=1)
    directory.symlink_to(tmp_path / "gone")  # unreadable even for root, unlike mode 0
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1]
    assert str(directory) in problem.text
    assert "Check that it exists" in problem.text


def test_a_directory_that_vanishes_while_reading_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_recording(tmp_path / "a", traces=1)
    write_recording(tmp_path / "b", traces=1, session="session-2")
    real_stat = os.stat

    def vanished(path: object, **options: object) -> os.stat_result:
        if str(path).endswith("/a/retrace"):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return real_stat(path, **options)  # type: ignore[arg-type,call-overload,no-any-return]

    monkeypatch.setattr("tb_retrace_plugin.events.files.os.stat", vanished)
    records, (problem,) = read(tmp_path)
    assert {r.run for r in records} == {"b/retrace"}
    assert "a/retrace" in problem.text


def test_a_graph_beside_the_traces_is_no_problem(tmp_path: Path) -> None:
    recording = Recording(EventFile(tmp_path))
    recording.file.write_bytes(encode.encode_graph("ab" * 32, b"\x00" * 1000, 1.0))
    recording.trace()
    recording.end(5)
    records, problems = read(tmp_path)
    assert trace_numbers(records) == [1]
    assert problems == []


def other_datum(tag: str, tensor: tensor_pb2.TensorProto, plugin: str = "retrace", content: bytes = b"1") -> bytes:
    metadata = summary_pb2.SummaryMetadata()
    metadata.plugin_data.plugin_name = plugin
    metadata.plugin_data.content = content
    value = summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)
    event: bytes = event_pb2.Event(summary=summary_pb2.Summary(value=[value])).SerializeToString()
    return event


@pytest.mark.parametrize(
    "tensor",
    [
        tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[1.0]),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[b"a", b"b"]),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[b"\xff\xff\xff\xff not a message"]),
        # field 1 as a varint of eleven bytes: longer than any number
        tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[b"\x08" + b"\xff" * 10 + b"\x01"]),
    ],
    ids=["a number", "no string", "two strings", "junk", "huge varint"],
)
def test_a_datum_of_another_type_under_our_tag_is_told(tmp_path: Path, tensor: tensor_pb2.TensorProto) -> None:
    recording = Recording(EventFile(tmp_path))
    recording.trace()
    recording.file.write_bytes(other_datum(tags.trace_tag("session-1", 2), tensor))
    recording.end(5)
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1]
    assert "retrace/trace/session-1/2" in problem.text


def test_data_of_other_plugins_and_unknown_tags_are_passed_over(tmp_path: Path) -> None:
    recording = Recording(EventFile(tmp_path))
    tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[b"?"])
    recording.file.write_bytes(other_datum(tags.trace_tag("session-1", 1), tensor, plugin="text"))
    recording.file.write_bytes(other_datum("retrace/what/is/this", tensor))
    recording.trace()
    recording.end(5)
    records, problems = read(tmp_path)
    assert trace_numbers(records) == [1]
    assert problems == []


def test_a_newer_schema_is_read_as_far_as_it_goes_and_told_once(tmp_path: Path) -> None:
    recording = Recording(EventFile(tmp_path))
    trace = recording.trace(write=False)
    for seq in (1, 2):
        trace.seq = seq
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[trace.SerializeToString()])
        recording.file.write_bytes(other_datum(tags.trace_tag("session-1", seq), tensor, content=b"7"))
    recording.end(5)
    records, (problem,) = read(tmp_path)
    assert trace_numbers(records) == [1, 2]
    assert "newer Retrace" in problem.text
    assert "version 7" in problem.text


def test_a_record_larger_than_any_real_one_is_left_out_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = Recording(EventFile(tmp_path / "fit")).start()
    recording.trace(evidence="x" * (9 << 20))
    recording.trace()
    checked: list[int] = []
    intact = Frame.intact
    monkeypatch.setattr(Frame, "intact", lambda frame: checked.append(len(frame.data)) or intact(frame))
    records, problems = read(tmp_path)
    assert trace_numbers(records) == [2]
    (problem,) = problems
    assert f"{recording.file.path}: the record at byte" in problem.text
    assert problem.text.endswith("has 9 MiB; it was left out.")
    assert max(checked) < 1 << 20  # nor is its checksum computed
