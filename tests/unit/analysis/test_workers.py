"""The workers of one job: grouped, compared, and what may be said of their waiting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.analysis.jobs import workers as workers_module
from tb_retrace_plugin.analysis.jobs.jobs import job_of, jobs
from tb_retrace_plugin.analysis.jobs.workers import divergence, workers
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.records import decode_record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.all_answers import check
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording
from tests.support.stores import load

HALF = SECOND // 2


def worker(folder: Path, number: int, launch: int = 0, run: str = "fit") -> Recording:
    """Its host's clock is an hour ahead of the one before."""
    started = STARTED_NS + launch * 3600 * 100 * SECOND + number * 3600 * SECOND
    file = EventFile(folder / run / "retrace" / f"worker{number}", started)
    file.path.rename(folder / run / "retrace" / f"worker{number}" / file.path.name)
    (folder / run / "retrace" / f"worker{number}" / "retrace").rmdir()
    return Recording(file, f"s{launch}-{number}", started).start(worker=number)


def in_step(recording: Recording, step: int | None, ns: int = HALF, name: str = "train_step", **fields: Any) -> None:
    shape = (len(recording.traces) + 1, 10)
    recording.trace(name, shape=shape, step=step, trace_duration_ns=ns, **{"collective_tasks": 2, **fields})


def answer(folder: Path, job: int = 0) -> dict[str, Any]:
    found = workers(jobs(load(folder).sessions)[job])
    json.dumps(found, allow_nan=False)
    return found


def straggler(folder: Path, **fields: Any) -> None:
    """Worker 1 traces again at steps 1 and 2."""
    first, second = worker(folder, 0), worker(folder, 1)
    in_step(first, 0, 3 * HALF, **fields)
    for step in range(3):
        in_step(second, step, 4 * HALF, **fields)
    first.end(60)
    second.end(60)


def test_the_straggler_is_named(tmp_path: Path) -> None:
    straggler(tmp_path)
    found = answer(tmp_path)
    assert (found["run"], [session["worker"] for session in found["sessions"]]) == ("fit", [0, 1])
    assert found["sentence"] == (
        "Worker 1 traced `train_step` 3 times, worker 0 once: worker 0 waited up to 4.5 s for worker 1."
    )
    assert found["difference"] == (
        "Worker 1: `train_step` was traced again at step 1 because `x` changed shape: (1, 10) → (2, 10)."
        " Worker 0 did not."
    )
    assert [session["waited_seconds"] for session in found["sessions"]] == [4.5, 0]
    assert [session["waited_for_seconds"] for session in found["sessions"]] == [0, 4.5]
    (row,) = found["functions"]
    assert (row["differs"], row["waited_seconds"]) == (True, 4.5)
    assert [counts["traces"] for counts in row["workers"]] == [1, 3]
    assert row["workers"][1]["costliest"] == {"session": "s0-1", "seq": 2}
    assert [(s["step"], s["worker"], s["trace_seconds"], s["waited_seconds"]) for s in found["steps"]] == [
        (1, 1, [0, 2], [2, 0]),
        (2, 1, [0, 2], [2, 0]),
        (0, 1, [1.5, 2], [0.5, 0]),
    ]
    assert found["notices"] == []


def test_workers_that_trace_alike(tmp_path: Path) -> None:
    for number in range(2):
        recording = worker(tmp_path, number)
        for step in range(3):
            in_step(recording, step, HALF)
        recording.end(60)
    found = answer(tmp_path)
    assert found["sentence"] == (
        "The workers traced the same functions, as often and for the same reasons: none is known to have waited for it."
    )
    assert (found["difference"], found["steps"], found["functions"][0]["differs"]) == ("", [], False)
    assert divergence(jobs(load(tmp_path).sessions)[0]) == ""


def test_one_that_takes_longer_is_waited_for(tmp_path: Path) -> None:
    for number in range(3):
        recording = worker(tmp_path, number)
        for step in range(2):
            in_step(recording, step, (1 + 4 * (number == 2)) * SECOND)
        recording.end(60)
    assert answer(tmp_path)["sentence"] == (
        "The workers traced the same functions, as often and for the same reasons: "
        "the others waited up to 8.0 s for `train_step` for worker 2."
    )


def test_each_waits_for_the_other_where_they_trace_at_other_steps(tmp_path: Path) -> None:
    for number in range(2):
        recording = worker(tmp_path, number)
        for step in range(3):
            in_step(recording, 2 * step + number, SECOND)
        recording.end(60)
    found = answer(tmp_path)
    assert found["sentence"] == (
        "The workers traced every function as often as one another, but not all alike: "
        "worker 1 waited up to 3.0 s for `train_step` for worker 0, and worker 0 up to 3.0 s for worker 1."
    )
    assert found["difference"].endswith(" Worker 1 traced it at another step instead.")
    assert [session["waited_seconds"] for session in found["sessions"]] == [3, 3]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"collective_tasks": 0, "graph_sha256": "ab"}, "no recorded graph holds operations that wait"),
        ({"collective_tasks": 0}, "no graph was recorded"),
    ],
)
def test_nothing_is_claimed_where_they_are_not_known_to_run_in_step(
    tmp_path: Path, fields: dict[str, Any], why: str
) -> None:
    straggler(tmp_path, **fields)
    found = answer(tmp_path)
    assert found["sentence"].startswith("Worker 1 traced `train_step` 3 times, worker 0 once. How long they waited")
    assert why in found["waiting"]
    assert found["steps"] == []
    assert {session["waited_seconds"] for session in found["sessions"]} == {None}
    assert found["functions"][0]["waited_seconds"] is None


def test_nothing_is_claimed_without_steps_or_where_they_begin_again(tmp_path: Path) -> None:
    for name, steps in (("without", (None, None)), ("again", (5, 0))):
        for number in range(2):
            recording = worker(tmp_path / name, number)
            for step in steps[: number + 1]:
                in_step(recording, step)
            recording.end(60)
    assert "no trace has a step" in answer(tmp_path / "without")["waiting"]
    again = answer(tmp_path / "again")
    assert "the steps of worker 1 begin again" in again["waiting"]
    assert {session["waited_seconds"] for session in again["sessions"]} == {None}


def test_what_is_nested_in_a_trace_is_counted_with_it(tmp_path: Path) -> None:
    for number in range(2):
        recording = worker(tmp_path, number)
        if number:
            in_step(recording, 0, SECOND, "inner", nested=True, parent_seq=2)
            in_step(recording, 0, 3 * SECOND, "outer", nested_duration_ns=SECOND)
        in_step(recording, 0, 0, "other")
        recording.end(60)
    found = answer(tmp_path)
    assert found["sessions"][0]["waited_seconds"] == 3
    assert [s["trace_seconds"] for s in found["steps"]] == [[0, 3]]
    assert found["difference"].startswith("Worker 1: `outer` was traced for the first time")


def test_traces_without_a_step_are_left_out_and_counted(tmp_path: Path) -> None:
    straggler(tmp_path)
    third = worker(tmp_path, 2)
    in_step(third, None, 99 * SECOND)
    third.end(60)
    found = answer(tmp_path)
    assert found["waiting"].endswith(" 1 trace without a step is left out.")
    assert max(session["waited_seconds"] for session in found["sessions"]) == 6  # the third one's


def test_the_same_file_in_other_directories(tmp_path: Path) -> None:
    for number in range(2):
        recording = worker(tmp_path, number)
        trace = recording.trace(write=False, step=0)
        trace.function.file = f"/home/user{number}/train.py"
        recording.write(trace)
        recording.end(60)
    (row,) = answer(tmp_path)["functions"]
    assert all(row["workers"])


def test_files_of_one_name_on_one_worker_are_told_apart(tmp_path: Path) -> None:
    for number in range(2):
        recording = worker(tmp_path, number)
        for folder in ("a", "b"):
            trace = recording.trace(write=False, step=0)
            trace.function.file = f"/{folder}/__init__.py"
            recording.write(trace)
        recording.end(60)
    rows = answer(tmp_path)["functions"]
    assert sorted(row["file"] for row in rows) == ["/a/__init__.py", "/b/__init__.py"]
    assert all(all(row["workers"]) for row in rows)


def test_launches_of_one_run_are_jobs_of_their_own(tmp_path: Path) -> None:
    for launch in range(2):
        for number in range(2):
            recording = worker(tmp_path, number, launch)
            for step in range(launch * number + 1):
                in_step(recording, step)
            recording.end(60)
    alone = Recording(EventFile(tmp_path / "alone"), "alone").start()
    alone.trace()
    alone.end(60)
    store = load(tmp_path)
    found = jobs(store.sessions)
    assert [[session.id for session in job.sessions] for job in found] == [["s0-0", "s0-1"], ["s1-0", "s1-1"]]
    assert [divergence(job) for job in found] == ["", "Worker 1 traced `train_step` twice, worker 0 once."]
    (session,) = (session for session in store.sessions if session.id == "alone")
    assert job_of(store.sessions, session) is None
    texts = [notice["text"] for notice in Digest(store).answer(None, 0)["notices"]]
    assert texts == [
        "fit: the workers did not trace alike. Worker 1 traced `train_step` twice, worker 0 once. “Workers” shows more."
    ]


def test_what_makes_them_hard_to_compare(tmp_path: Path) -> None:
    recording = worker(tmp_path, 0)
    recording.trace()
    found = answer(tmp_path)
    assert found["sentence"] == "Only worker 0 is recorded here: there is nothing to compare it with."
    assert found["notices"] == [
        "Worker 0 has no end recorded: running, or killed. What the others traced may be yet to come."
    ]
    other = worker(tmp_path, 1)
    other.trace()
    other.end(60, traces=5)
    assert answer(tmp_path)["notices"][1:] == ["Not all traces of worker 1 were recorded: the counts are too low."]


def test_where_not_every_trace_is_recorded_one_by_one(tmp_path: Path) -> None:
    """Worker 1 traced at steps 0 to 5; the traces of steps 2 to 4 were counted only."""
    first, second = worker(tmp_path, 0), worker(tmp_path, 1)
    for step in range(6):
        if step < 2:
            in_step(first, step, SECOND)
        in_step(second, step, SECOND, write=not 2 <= step <= 4)
    omitted = pb.Omitted()
    sums = omitted.kinds.add(kind="retrace", cause="shape", path="x", traces=3, trace_duration_ns=3 * SECOND)
    sums.function.CopyFrom(second.traces[0].function)
    second.file.write(tags.omitted_tag(second.id, 1), omitted, second.started_ns + 9 * SECOND)
    for recording in (first, second):
        recording.end(60)
    found = answer(tmp_path)
    assert found["sentence"] == (
        "Worker 1 traced `train_step` 6 times, worker 0 twice: worker 0 waited up to 1.0 s for worker 1,"
        " in the traces that are recorded one by one."
    )
    assert found["difference"] == (
        "Their traces part where not all are recorded one by one: they were not traced as often."
    )
    assert "no step is known: the waiting for them is not in it" in found["waiting"]
    assert found["notices"] == []  # counts are exact
    assert found["functions"][0]["differs"]


def test_long_answers_are_cut_and_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "MAX_FUNCTIONS", 2)
    monkeypatch.setattr(workers_module, "MAX_STEPS", 1)
    monkeypatch.setattr(workers_module, "MAX_WORKERS", 2)
    for number in range(3):
        recording = worker(tmp_path, number)
        for step in range(5 * number + 1):
            in_step(recording, step, name=f"f{step % 3}")
        recording.end(60)
    found = answer(tmp_path)
    assert (len(found["functions"]), found["functions_left_out"]) == (2, 1)
    assert (len(found["steps"]), found["steps_left_out"]) == (1, 4)
    assert len(found["sessions"]) == 2
    assert found["notices"][0] == "Only the first 2 of 3 workers are looked at."
    assert max(row["waited_seconds"] for row in found["functions"]) == 1


def test_thousands_of_workers_and_numbers_that_cannot_be() -> None:
    """In one store, without files: every worker with cyclic parents, and steps, times and durations that cannot be."""
    extremes = [0, 1, -1, 2**31, 2**53, -(2**53), 2**63 - 1, -(2**63)]
    store, records = Store(), []
    for number in range(3000):
        session, run = f"s{number}", f"fit/retrace/worker{number}"
        one = extremes[number % len(extremes)]
        start = pb.SessionStart(id=session, started_ns=one, worker=number % 2900, workers=(one + 2**31) % 2**32 - 2**31)
        messages: dict[str, Any] = {tags.session_tag(session): start}
        for seq in (1, 2, 3):
            messages[tags.trace_tag(session, seq)] = pb.Trace(
                function=pb.Function(name="f", qualname="f", file="a.py"), seq=seq, n=seq, step=one if seq > 1 else seq,
                parent_seq=seq % 3 + 1, closest_seq=seq % 3 + 1, kind="retrace", time_ns=one, trace_duration_ns=one,
                nested_duration_ns=-one // 2, collective_tasks=2, nested=seq == 3, object=one,
            )  # fmt: skip
        messages[tags.end_tag(session, 1)] = pb.SessionEnd(time_ns=one, traces=one)
        for tag, message in messages.items():
            decoded = decode_record(run, tag, message.SerializeToString(), 1.7e9)
            if decoded is not None:
                records.append(decoded)
    store.add(records)
    assert len(store.sessions) == 3000
    Digest(store).answer(None, 0)
    first, *later = jobs(store.sessions)  # a number that comes again is another launch
    assert len(first.sessions) + sum(len(job.sessions) for job in later) == 3000
    assert later
    for job in (first, *later):
        check("workers", workers(job))
    found = workers(first)
    assert len(found["sessions"]) == workers_module.MAX_WORKERS
    assert found["notices"][0].startswith("Only the first 256 of ")
