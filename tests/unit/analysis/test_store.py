from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import SECOND, STARTED_NS, write_recording
from tests.support.stores import load, new_recording


def items_of(directory: Path) -> list[Record | Problem]:
    return list(read_logdir(str(directory)))


def test_functions_are_told_apart_by_file_line_and_qualname(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for file, line, qualname in [
        ("a.py", 1, "f"),
        ("a.py", 1, "f"),
        ("b.py", 1, "f"),
        ("a.py", 2, "f"),
        ("a.py", 1, "g"),
    ]:
        trace = recording.trace("f", write=False)
        trace.function.file, trace.function.line, trace.function.qualname = file, line, qualname
        recording.write(trace)
    store = load(tmp_path)
    assert [[e.seq for e in group.events] for group in store.functions] == [[1, 2], [3], [4], [5]]


@pytest.mark.parametrize("names", [("train", "evaluate"), ("evaluate", "wrapper"), ("wrapper", "train")])
def test_one_code_under_several_names_has_that_of_its_def(tmp_path: Path, names: tuple[str, str]) -> None:
    """What it would be called otherwise was traced half as often."""
    recording = new_recording(tmp_path)
    for name in (*names, names[0]):
        trace = recording.trace(name, write=False)
        trace.function.qualname, trace.function.line = "logged.<locals>.wrapper", 7
        recording.write(trace)
    alone = recording.trace("train", write=False)
    alone.function.qualname, alone.function.line = "made.<locals>.step", 99
    recording.write(alone)
    wrapper, train = load(tmp_path).functions
    assert (wrapper.function.name, len(wrapper.events)) == ("wrapper", 3)
    assert [event.record.function.name for event in wrapper.events] == [*names, names[0]]
    assert (train.function.name, len(train.events)) == ("train", 1)


def test_a_failed_trace_does_not_count_as_one(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(failed=True, n=2, error="ValueError: no")
    recording.trace(n=2)
    (group,) = load(tmp_path).functions
    assert len(group.events) == 3
    assert [e.seq for e in group.successful] == [1, 3]


def test_first_calls_are_found_wherever_they_were_written(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(first_calls=[pb.FirstCall(seq=1, duration_ns=10)])
    recording.trace()
    recording.first_call(2, seconds=0.5, k=1)
    end = pb.SessionEnd(time_ns=STARTED_NS + 9 * SECOND, traces=3, first_calls=[pb.FirstCall(seq=3, duration_ns=30)])
    recording.file.write(tags.end_tag("session-1", 1), end, end.time_ns)
    (session,) = load(tmp_path).sessions
    assert [e.first_call_ns for e in session.events.values()] == [10, SECOND // 2, 30]


def test_a_revision_rises_with_what_changed_and_marks_it(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace()
    store = load(tmp_path)
    revision = store.revision
    store.add([])
    store.add(items_of(tmp_path))  # nothing new in it
    assert store.revision == revision
    recording.first_call(1, seconds=0.5, k=1)
    store.add(items_of(tmp_path))
    assert store.revision == revision + 1
    assert [e.revision for e in store.sessions[0].events.values()] == [revision + 1, revision]


def test_the_highest_end_counts_in_whatever_order(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for k, traces in ((2, 20), (1, 10)):
        end = pb.SessionEnd(time_ns=STARTED_NS + k * SECOND, traces=traces, losses={"graphs_left_out": traces})
        recording.file.write(tags.end_tag("session-1", k), end, end.time_ns)
    (session,) = load(tmp_path).sessions
    assert session.end is not None
    assert session.end.traces == 20
    assert session.losses == {"graphs_left_out": 20}


def test_a_session_without_an_end_lasts_until_its_last_sign_of_life(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=3 * SECOND)
    (session,) = load(tmp_path).sessions
    assert session.end is None
    assert session.run_seconds == 4.0  # traced from second 1 to second 4


def test_a_session_whose_start_was_lost_counts_from_its_first_trace(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace()
    recording.end(10)
    store = Store()
    store.add(i for i in items_of(tmp_path) if isinstance(i, Record) and i.tag.kind != "session")
    (session,) = store.sessions
    assert session.start is None
    assert session.started_ns == STARTED_NS + SECOND
    assert session.run_seconds == 9.0


def test_a_start_that_arrives_late_moves_every_trace(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    items = items_of(tmp_path)
    store = Store()
    store.add(i for i in items if isinstance(i, Record) and i.tag.kind != "session")
    store.add(items)
    (session,) = store.sessions
    assert session.started_ns == STARTED_NS
    assert session.events[1].revision == store.revision == 2


@given(st.randoms(use_true_random=False))
def test_the_order_of_reading_changes_nothing(tmp_path_factory: pytest.TempPathFactory, random: object) -> None:
    directory = tmp_path_factory.getbasetemp() / "order"
    if not directory.exists():
        write_recording(directory, traces=12)
    items = items_of(directory)
    expected = report(load(directory))
    random.shuffle(items)  # type: ignore[attr-defined]
    store = Store()
    for item in items:
        store.add([item])
    shuffled = report(store)
    for document in (expected, shuffled):
        document["sessions"][0]["functions"].sort(key=lambda f: f["name"])
    assert shuffled == expected


def test_a_copied_directory_is_counted_once_and_told(tmp_path: Path) -> None:
    write_recording(tmp_path / "a", traces=3)
    write_recording(tmp_path / "b", traces=3)
    store = load(tmp_path)
    assert [(s.run, len(s.events)) for s in store.sessions] == [("a/retrace", 3)]
    (problem,) = store.problems
    assert "b/retrace" in problem.text
    assert "counted once" in problem.text


def test_two_different_records_of_one_trace_are_told(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    trace = recording.trace()
    trace.nodes = 999
    recording.write(trace)
    store = load(tmp_path)
    assert store.sessions[0].events[1].record.nodes == 120
    assert ["twice" in p.text for p in store.problems] == [True]


def test_two_stores_never_share_a_generation() -> None:
    assert Store().generation != Store().generation
