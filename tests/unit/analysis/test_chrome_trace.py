"""The Chrome trace: valid by the Trace Event Format, slices nested, and nothing told that was not recorded."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.exports.chrome_trace import chrome_trace
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording
from tests.support.stores import load, new_recording


def exported(directory: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads("".join(chrome_trace(load(directory).sessions)))
    check_format(document)
    return document


def check_format(document: dict[str, Any]) -> None:
    """What the Trace Event Format asks of the events that we write, and what Perfetto asks of tracks."""
    assert set(document) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert document["displayTimeUnit"] in ("ms", "ns")
    slices = defaultdict(list)
    processes, names = {}, {}
    for event in document["traceEvents"]:
        assert event["ph"] in ("X", "C", "M")
        assert isinstance(event["name"], str)
        assert all(type(event[key]) is int and event[key] >= 0 for key in ("ts", "pid", "tid"))
        assert isinstance(event["args"], dict)
        if event["ph"] == "X":
            assert type(event["dur"]) is int
            assert event["dur"] >= 0
            assert event["cat"] in ("trace", "first execution", "XLA")
            slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "C":
            assert all(type(value) is int for value in event["args"].values())
        elif event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
    assert set(slices) <= set(names)
    assert {pid for pid, _ in names} <= set(processes)
    threads = [tid for _, tid in names]
    assert len(threads) == len(set(threads))
    assert not set(threads) & set(processes)
    for track in slices.values():
        assert_nested(track)


def assert_nested(track: list[tuple[int, int]]) -> None:
    """Any two slices of a track are apart, or one lies within the other."""
    open_ends: list[int] = []
    for start, end in sorted(track, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        assert not open_ends or end <= open_ends[-1], track
        open_ends.append(end)


def test_the_check_of_nesting_can_fail() -> None:
    assert_nested([(0, 10), (0, 4), (4, 10), (10, 12)])
    with pytest.raises(AssertionError):
        assert_nested([(0, 10), (4, 12)])


def tracks_of(document: dict[str, Any]) -> dict[str, list[tuple[str, int, int]]]:
    """(name, start, length) of each track's slices, microseconds."""
    names = {e["tid"]: e["args"]["name"] for e in document["traceEvents"] if e["name"] == "thread_name"}
    tracks: dict[str, list[tuple[str, int, int]]] = {name: [] for name in names.values()}
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            tracks[names[event["tid"]]].append((event["name"], event["ts"], event["dur"]))
    return tracks


def test_traces_their_first_executions_and_what_xla_compiled(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.trace(shape=(7, 10), failed=True, error="ValueError: no")
    recording.first_call(1, 0.5, k=1)
    recording.compilation(1, (32, 10), seconds=0.4)
    recording.compilation(1, (7, 10), seconds=0.1, time_ns=STARTED_NS + 17 * SECOND // 10)
    recording.end(60)
    document = exported(tmp_path)
    assert tracks_of(document) == {
        "train_step · MainThread": [
            ("train_step #1", 1_000_000, 200_000),
            ("train_step: first execution", 1_300_000, 500_000),  # where XLA's first compilation was measured to begin
            ("train_step (failed)", 2_000_000, 200_000),
        ],
        "XLA · train_step": [
            ("train_step: compiled by XLA", 1_300_000, 400_000),
            ("train_step: compiled by XLA", 1_700_000, 100_000),
        ],
    }
    (first, failed) = [e["args"] for e in document["traceEvents"] if e.get("cat") == "trace"]
    assert (first["id"], first["step"], first["verdict"], first["cause"]) == ("session-1/1", 10, "needed", None)
    assert (failed["cause"], failed["changes"]) == ("shape", ["x: shape (32, 10) → (7, 10)"])
    assert (failed["verdict"], failed["error"]) == ("avoidable", "ValueError: no")
    assert failed["called from"] == "/home/user/train.py:57  train_step(batch)"
    assert "x` changed shape: (32, 10) → (7, 10)" in failed["why"]
    memory = [(e["ts"], e["args"]["bytes"]) for e in document["traceEvents"] if e["ph"] == "C"]
    assert memory == [
        (1_000_000, 100_000_000), (1_200_000, 104_000_000), (2_000_000, 100_000_000), (2_200_000, 104_000_000),
    ]  # fmt: skip
    assert document["otherData"]["zero is unix time in nanoseconds"] == str(STARTED_NS)


def test_nested_traces_lie_in_their_outermost_ones(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    outer = recording.trace("outer", trace_duration_ns=SECOND // 2)
    start, tenth = outer.time_ns, SECOND // 10
    recording.trace("inner", nested=True, parent_seq=1, time_ns=start + tenth, trace_duration_ns=tenth)
    # The clock that times are taken from and the one that lengths are differ: it may seem to end after its outer one.
    recording.trace("late", nested=True, parent_seq=1, time_ns=start + 499_999_000, trace_duration_ns=tenth)
    recording.trace("inner", thread="other")
    recording.end(60)
    assert tracks_of(exported(tmp_path)) == {
        "outer · MainThread": [
            ("outer #1", 1_000_000, 500_000),
            ("inner #1", 1_100_000, 100_000),
            ("late #1", 1_499_999, 1),
        ],
        "inner · other": [("inner #2", 4_000_000, 200_000)],
    }


def test_a_first_execution_that_cannot_have_followed_its_trace_lies_apart(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    outer = recording.trace("outer", trace_duration_ns=SECOND)
    recording.trace("inner", nested=True, parent_seq=1, time_ns=outer.time_ns + SECOND // 10)
    recording.trace("outer", shape=(2, 2))
    recording.first_call(1, 0.5, k=1)
    recording.first_call(2, 0.25, k=2)  # called by itself, later than the trace that it is nested in
    recording.first_call(3, 0.5, k=3)
    recording.end(60)
    assert tracks_of(exported(tmp_path)) == {
        "outer · MainThread": [
            ("outer #1", 1_000_000, 1_000_000),
            ("inner #1", 1_100_000, 200_000),
            ("outer: first execution", 2_000_000, 500_000),
            ("outer #2", 3_000_000, 200_000),
            ("outer: first execution", 3_200_000, 500_000),
        ],
        "outer · MainThread: first executions": [("inner: first execution", 1_300_000, 250_000)],
    }


def test_what_overlaps_goes_to_a_further_track(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=2 * SECOND)
    recording.trace(shape=(2, 2), trace_duration_ns=2 * SECOND)  # the clock stepped back
    recording.first_call(1, 1.0, k=1)
    recording.end(60)
    assert tracks_of(exported(tmp_path)) == {
        "train_step · MainThread": [("train_step #1", 1_000_000, 2_000_000)],
        "train_step · MainThread (2)": [("train_step #2", 2_000_000, 2_000_000)],
        "train_step · MainThread: first executions": [("train_step: first execution", 3_000_000, 1_000_000)],
    }


def test_sessions_are_processes_on_one_axis(tmp_path: Path) -> None:
    for number in range(2):
        recording = Recording(
            EventFile(tmp_path / f"r{number}"), f"session-{number}", STARTED_NS + number * 100 * SECOND
        )
        recording.start(worker=number).trace()
        recording.end(60)
    document = exported(tmp_path)
    names = [e["args"]["name"] for e in document["traceEvents"] if e["name"] == "process_name"]
    assert names == [f"r{n}/retrace · worker {n} (testhost, process 4242)" for n in range(2)]
    assert [e["ts"] for e in document["traceEvents"] if e["ph"] == "X"] == [1_000_000, 101_000_000]


def test_nothing_recorded_is_an_empty_trace() -> None:
    document = json.loads("".join(chrome_trace([])))
    check_format(document)
    assert document["traceEvents"] == []


NUMBER = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 50).map(lambda n: n * 10_000))
TIME = st.one_of(st.integers(0, 60).map(lambda n: STARTED_NS + n * 10_000), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TIME, NUMBER, st.integers(0, 12), st.sampled_from("fg"), NUMBER), max_size=12), TIME)
def test_slices_nest_whatever_was_recorded(rows: list[tuple[int, int, int, str, int]], started_ns: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        recording = Recording(EventFile(Path(directory)), started_ns=STARTED_NS)
        recording.file.write(
            "retrace/session/session-1", pb.SessionStart(schema=1, id="session-1", started_ns=started_ns), STARTED_NS
        )
        recording.started = True
        for seq, (time_ns, length, parent, name, first_call) in enumerate(rows, 1):
            calls = [pb.FirstCall(seq=seq, duration_ns=first_call)]
            trace = recording.trace(
                name, write=False, time_ns=time_ns, trace_duration_ns=length, parent_seq=parent,
                memory_before_bytes=length, first_calls=calls,
            )  # fmt: skip
            recording.file.write(f"retrace/trace/session-1/{seq}", trace, STARTED_NS)
            if first_call % 3 == 0:
                xla = pb.XlaCompilation(seq=seq, k=1, time_ns=first_call, duration_ns=length)
                recording.file.write(f"retrace/xla/session-1/{seq}", xla, STARTED_NS)
        recording.file.close()
        document = exported(Path(directory))
    assert sum(event.get("cat") == "trace" for event in document["traceEvents"]) == len(rows)


def test_more_overlaps_than_tracks_are_shown_shorter_and_say_so(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    for number in range(40):
        time_ns = STARTED_NS + SECOND + number * 1_000_000
        recording.trace(time_ns=time_ns, trace_duration_ns=SECOND)
    recording.end(60)
    document = exported(tmp_path)
    told = [e for e in document["traceEvents"] if "shown shorter than its seconds" in e["args"]]
    assert len(told) == 8
    assert all(e["args"]["shown shorter than its seconds"] == 1 > e["dur"] / 1e6 for e in told)
