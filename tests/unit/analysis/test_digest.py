from __future__ import annotations

import json
from pathlib import Path

from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import EventFile, Recording
from tests.support.stores import load, new_recording

COLUMNS = {
    "session", "function", "seq", "n", "object", "step", "start_us", "trace_us", "own_us", "first_call_us",
    "lookup_us", "kind", "verdict", "cause", "path", "change", "failed", "nested", "generalized", "parent_seq", "nodes",
    "recompilations", "recompilation_us", "stale",
    "memory_before_kib", "memory_after_kib", "profiled",
}  # fmt: skip
SUMMARY = {
    "sentence", "detail", "traces", "retraces", "failed", "functions", "seconds_lost", "avoidable_seconds",
    "run_seconds", "share", "recompilations", "stale",
}  # fmt: skip


def read_again(store: Store, directory: Path) -> None:
    store.add(read_logdir(str(directory)))


def test_the_first_answer_holds_everything_in_the_documented_form(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(32, 10), first_calls=[pb.FirstCall(seq=1, duration_ns=7_000)])
    recording.trace(shape=(7, 10), step=None, trace_duration_ns=9_000, nested_duration_ns=2_000)
    recording.end(60)
    store = load(tmp_path)
    answer = json.loads(json.dumps(Digest(store).answer(None, 0), allow_nan=False))
    assert set(answer) == {
        "schema", "generation", "revision", "reset", "notices", "summary", "sessions", "functions", "traces",
        "recompilations",
    }  # fmt: skip
    assert (answer["schema"], answer["generation"], answer["revision"], answer["reset"]) == (
        1,
        store.generation,
        1,
        False,
    )
    assert set(answer["summary"]) == SUMMARY
    (session,) = answer["sessions"]
    assert set(session) == {
        "id", "run", "worker", "host", "pid", "program", "tensorflow", "keras", "python", "started_ns", "last_ns",
        "ended", "losses", "summary",
    }  # fmt: skip
    assert (session["started_ns"], session["last_ns"]) == ("1700000000000000000", "1700000060000000000")
    assert session["ended"] is True
    (function,) = answer["functions"]
    assert set(function) == {
        "index", "session", "name", "qualname", "file", "line", "library", "traces", "objects", "failed_traces",
        "omitted_traces", "trace_seconds", "first_call_seconds", "lookup_seconds", "avoidable_seconds", "causes",
        "xla_compilations", "recompilations", "recompilation_seconds", "stale", "role",
    }  # fmt: skip
    assert function["causes"] == {"shape": 1}
    traces = answer["traces"]
    assert set(traces) == COLUMNS
    assert {len(column) for column in traces.values()} == {2}
    row = {name: column[1] for name, column in traces.items()}
    assert row == {
        "session": 0, "function": 0, "seq": 2, "n": 2, "object": 1, "step": None, "start_us": 2_000_000, "trace_us": 9,
        "own_us": 7, "first_call_us": None, "lookup_us": 0, "kind": "retrace", "verdict": "avoidable",
        "cause": "shape", "path": "x",
        "change": "x: shape (32, 10) → (7, 10)", "failed": False, "nested": False, "generalized": False,
        "parent_seq": None, "nodes": 120, "recompilations": 0, "recompilation_us": 0, "stale": 0,
        "memory_before_kib": 97656, "memory_after_kib": 101562, "profiled": False,
    }  # fmt: skip
    first = {name: column[0] for name, column in traces.items()}
    assert (first["cause"], first["path"], first["change"], first["first_call_us"]) == (None, "", "", 7)


def test_later_answers_hold_only_what_changed(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace()
    store = load(tmp_path)
    digest = Digest(store)
    first = digest.answer(None, 0)
    unchanged = digest.answer(store.generation, first["revision"])
    assert unchanged["traces"]["seq"] == []
    assert unchanged["functions"] == []
    recording.trace()
    recording.first_call(1, 0.5, k=1)
    read_again(store, tmp_path)
    later = digest.answer(store.generation, first["revision"])
    assert later["reset"] is False
    assert later["traces"]["seq"] == [1, 3]
    assert later["traces"]["first_call_us"] == [500_000, None]
    assert later["functions"][0]["traces"] == 3
    assert digest.answer(store.generation, later["revision"])["traces"]["seq"] == []


def test_updates_put_together_are_the_whole(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    store = Store()
    digest = Digest(store)
    rows: dict[tuple[int, int], dict[str, object]] = {}
    functions: dict[int, dict[str, object]] = {}
    revision, generation = 0, None
    for number in range(12):
        recording.trace(f"f{number % 3}")
        if number % 4 == 3:
            recording.first_call(number, 0.25, k=number)
        read_again(store, tmp_path)
        answer = digest.answer(generation, revision)
        revision, generation = answer["revision"], answer["generation"]
        traces = answer["traces"]
        for place in range(len(traces["seq"])):
            row = {name: column[place] for name, column in traces.items()}
            rows[row["session"], row["seq"]] = row
        functions.update({function["index"]: function for function in answer["functions"]})
    assert list(functions.values()) == digest.answer(None, 0)["functions"]
    whole = digest.answer(None, 0)["traces"]
    assert [rows[key] for key in sorted(rows)] == [
        {name: column[place] for name, column in whole.items()} for place in range(12)
    ]


def test_what_has_changed_since_the_last_update_is_told_as_it_was(tmp_path: Path) -> None:
    """A server takes records in first, and works out what to tell of them while it answers."""
    recording = new_recording(tmp_path)
    recording.trace()
    recording.compilation(1, (4, 3))
    recording.compilation(1, (6, 3))
    store = Store()
    read_again(store, tmp_path)
    digest = Digest(store)
    before = digest.answer(None, 0)
    assert before["recompilations"]["seq"] == [1]
    recording.compilation(1, (8, 3))
    recording.trace()
    recording.first_call(1, 0.5, k=1)
    read_again(store, tmp_path)
    assert digest.latest(None, 0) == before
    later = digest.answer(before["generation"], before["revision"])
    assert (later["traces"]["seq"], later["functions"][0]["first_call_seconds"]) == ([1, 2], 0.5)
    assert later["recompilations"]["seq"] == [1]


def test_a_client_of_another_store_or_of_the_future_starts_over(tmp_path: Path) -> None:
    new_recording(tmp_path).trace()
    store = load(tmp_path)
    digest = Digest(store)
    for generation, since in (("another", 1), (store.generation, 99), (store.generation, -1)):
        answer = digest.answer(generation, since)
        assert answer["reset"] is True
        assert answer["traces"]["seq"] == [1]


def test_indexes_stay_while_sessions_are_added(tmp_path: Path) -> None:
    new_recording(tmp_path / "b", "session-b").trace("f")
    store = load(tmp_path)
    digest = Digest(store)
    before = digest.answer(None, 0)
    late = Recording(EventFile(tmp_path / "a"), "session-a")
    late.trace("g")
    read_again(store, tmp_path)
    after = digest.answer(store.generation, before["revision"])
    assert [s["id"] for s in after["sessions"]] == ["session-b", "session-a"]
    assert [(f["index"], f["name"]) for f in after["functions"]] == [(1, "g")]
    assert [f["name"] for f in digest.answer(None, 0)["functions"]] == ["f", "g"]
    assert (after["traces"]["session"], after["traces"]["function"]) == ([1], [1])


def test_a_trace_from_before_its_session_starts_at_zero(tmp_path: Path) -> None:
    new_recording(tmp_path).trace(time_ns=5)
    assert Digest(load(tmp_path)).answer(None, 0)["traces"]["start_us"] == [0]


def test_an_unset_verdict_is_unknown(tmp_path: Path) -> None:
    new_recording(tmp_path).trace(verdict="")
    assert Digest(load(tmp_path)).answer(None, 0)["traces"]["verdict"] == ["unknown"]


def test_an_answer_is_as_large_as_what_is_new_not_as_what_is_there(tmp_path: Path) -> None:
    sizes = []
    for functions, traces in ((2, 10), (200, 2_000)):
        directory = tmp_path / str(traces)
        recording = new_recording(directory)
        for number in range(traces):
            recording.trace(f"f{number % functions}")
        store = load(directory)
        digest = Digest(store)
        before = digest.answer(None, 0)
        recording.trace("f0")
        read_again(store, directory)
        answer = digest.answer(store.generation, before["revision"])
        assert answer["traces"]["seq"] == [traces + 1]
        sizes.append(len(json.dumps(answer)))
    assert sizes[1] < sizes[0] + 200  # a few digits, and the names of a sentence
