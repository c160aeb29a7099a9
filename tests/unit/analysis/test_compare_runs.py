"""Before and after, side by side; functions are the same if their code is, wherever a change has moved it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.analysis.pages.compare_runs import compare_runs
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import SECOND, EventFile, Recording
from tests.support.stores import load, new_recording


def recorded(folder: Path, traces: int, **fields: Any) -> Path:
    recording = new_recording(folder)
    for number in range(traces):
        recording.trace(shape=(number + 1, 10), **fields)
    recording.end(60)
    return folder


def compared(a: Path, b: Path) -> dict[str, Any]:
    answer = compare_runs(load(a).sessions, load(b).sessions)
    json.dumps(answer, allow_nan=False)
    return answer


def test_a_fix(tmp_path: Path) -> None:
    answer = compared(recorded(tmp_path / "a", 4), recorded(tmp_path / "b", 1))
    assert answer["sentence"] == (
        "`train_step` was traced 4 times and is now traced once: 600 ms lost to retraces before, 0 s after."
    )
    assert answer["detail"] == "Nothing that is in both is traced more often. No longer a cause of retraces: shape."
    (row,) = answer["functions"]
    assert (row["change"], row["matched"]) == ("better", "place")
    assert (row["a"]["traces"], row["b"]["traces"]) == (4, 1)
    assert (row["a"]["causes"], row["b"]["causes"], row["causes_gone"]) == ({"shape": 3}, {}, ["shape"])
    assert (row["a"]["seconds_lost"], row["b"]["seconds_lost"]) == (pytest.approx(0.6), 0)
    assert (answer["a"]["retraces"], answer["b"]["retraces"]) == (3, 0)
    assert answer["notices"] == []


def test_a_regression_is_told_first(tmp_path: Path) -> None:
    for name, counts in (("a", (1, 5)), ("b", (3, 2))):
        recording = new_recording(tmp_path / name)
        for function, count in zip(("train_step", "evaluate"), counts, strict=True):
            for number in range(count):
                recording.trace(function, shape=(number, 1))
        recording.end(60)
    answer = compared(tmp_path / "a", tmp_path / "b")
    assert [(row["name"], row["change"]) for row in answer["functions"]] == [
        ("train_step", "worse"),
        ("evaluate", "better"),
    ]
    assert answer["sentence"].startswith(
        "`train_step` was traced once and is now traced 3 times; 1 function less often: "
    )
    assert answer["functions"][0]["causes_new"] == ["shape"]
    assert answer["detail"] == ""  # something got worse, and shapes are a cause on both sides


def test_a_cause_that_came(tmp_path: Path) -> None:
    recording = new_recording(tmp_path / "b")
    recording.trace()
    recording.trace(changes=[pb.Change(cause="python_value", path="step", old="1", new="2")])
    recording.end(60)
    answer = compared(recorded(tmp_path / "a", 3), tmp_path / "b")
    assert answer["detail"] == (
        "Nothing that is in both is traced more often. "
        "No longer a cause of retraces: shape. A new cause of retraces: python value."
    )


def test_the_costliest_trace_is_the_retrace_that_lost_most(tmp_path: Path) -> None:
    recording = new_recording(tmp_path / "a")
    recording.trace(trace_duration_ns=9 * SECOND)  # a first trace is needed
    recording.trace(shape=(2, 2), trace_duration_ns=SECOND)
    recording.trace(shape=(3, 3), trace_duration_ns=SECOND // 2)
    recording.first_call(3, 0.75, k=1)
    recording.end(60)
    answer = compared(tmp_path / "a", recorded(tmp_path / "b", 1))
    (row,) = answer["functions"]
    assert row["a"]["costliest"] == {"session": "session-1", "seq": 3}
    assert row["b"]["costliest"] == {"session": "session-1", "seq": 1}


def test_nothing_in_common(tmp_path: Path) -> None:
    answer = compared(recorded(tmp_path / "a", 2, name="f"), recorded(tmp_path / "b", 1, name="g"))
    assert answer["sentence"].startswith("No function was traced in both recordings: 200 ms lost")
    assert [(row["name"], row["change"]) for row in answer["functions"]] == [("g", "new"), ("f", "gone")]


def test_failed_traces_and_compilations_count_too(tmp_path: Path) -> None:
    for name, failed in (("a", True), ("b", False)):
        recording = new_recording(tmp_path / name)
        recording.trace(jit_compile=True)
        recording.trace(failed=failed)
        recording.compilation(1)
        if not failed:
            recording.compilation(1, (7, 10))
        recording.end(60)
    (row,) = compared(tmp_path / "a", tmp_path / "b")["functions"]
    assert [(row[s]["traces"], row[s]["failed_traces"], row[s]["recompilations"]) for s in "ab"] == [
        (1, 1, 0),
        (2, 0, 1),
    ]
    assert row["change"] == "worse"


def code(name: str, file: str = "/a/train.py", line: int = 10, qualname: str = "", **more: Any) -> pb.Function:
    return pb.Function(name=name, qualname=qualname or name, file=file, line=line, **more)


def with_functions(folder: Path, functions: list[pb.Function]) -> Path:
    recording = Recording(EventFile(folder / "fit")).start()
    for function in functions:
        trace = recording.trace(function.name, write=False)
        trace.function.CopyFrom(function)
        recording.write(trace)
    recording.end(60)
    return folder


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        # lines moved; another checkout
        ([code("f")], [code("f", line=30)], {("f", 10, 30, "file and name")}),
        ([code("f")], [code("f", "/b/train.py")], {("f", 10, 10, "place")}),
        ([code("f")], [code("f", "/b/train.py", 12)], {("f", 10, 12, "file and name")}),
        # moved into a module of its own; hoisted out of a function; renamed is not the same
        ([code("f", qualname="M.f")], [code("f", "/a/steps.py", 3, "M.f")], {("f", 10, 3, "moved")}),
        ([code("f", qualname="main.<locals>.f")], [code("f", line=4)], {("f", 10, 4, "renamed")}),
        ([code("f")], [code("g")], {("f", 10, None, None), ("g", None, 10, None)}),
        # several of one name: by their order, where there are as many
        (
            [code("f", line=1), code("f", line=5)],
            [code("f", line=3), code("f", line=9)],
            {("f", 1, 3, "file and name"), ("f", 5, 9, "file and name")},
        ),
        (
            [code("f", line=1), code("f", line=5)],
            [code("f", line=9)],
            {("f", 1, None, None), ("f", 5, None, None), ("f", None, 9, None)},
        ),
        # the one that stayed where it was is that one
        (
            [code("f", line=1), code("f", line=5)],
            [code("f", line=5)],
            {("f", 5, 5, "place"), ("f", 1, None, None)},
        ),
        # lambdas have no name to go by but their place
        (
            [code("<lambda>", line=1, variant="4"), code("<lambda>", line=2, variant="4")],
            [code("<lambda>", line=2, variant="6"), code("<lambda>", line=3, variant="6")],
            {("<lambda>", 1, 2, "file and name"), ("<lambda>", 2, 3, "file and name")},
        ),
        (
            [code("<lambda>", "/a/x.py")],
            [code("<lambda>", "/a/y.py")],
            {("<lambda>", 10, None, None), ("<lambda>", None, 10, None)},
        ),
    ],
)
def test_which_function_is_which(
    before: list[pb.Function], after: list[pb.Function], pairs: set[Any], tmp_path: Path
) -> None:
    answer = compared(with_functions(tmp_path / "a", before), with_functions(tmp_path / "b", after))
    found = {
        (row["name"], *(row[c] and row[c]["line"] for c in ("code_a", "code_b")), row["matched"])
        for row in answer["functions"]
    }
    assert found == pairs


def test_several_sessions_of_a_side_count_together(tmp_path: Path) -> None:
    for number in (1, 2):
        recording = Recording(EventFile(tmp_path / "b" / f"w{number}"), f"session-{number}").start(worker=number)
        recording.trace()
        recording.end(10)
    answer = compared(recorded(tmp_path / "a", 1), tmp_path / "b")
    assert answer["functions"][0]["b"]["traces"] == 2
    assert answer["b"]["run_seconds"] == 20
    assert answer["notices"] == ["The one has 1 session, the other 2: all of a side count together."]


def test_what_makes_them_hard_to_compare_is_said(tmp_path: Path) -> None:
    one = Recording(EventFile(tmp_path / "a" / "fit")).start(program="/x/train.py")
    one.trace()
    one.end(9, losses={"traces_not_recorded": 1})
    other = Recording(EventFile(tmp_path / "b" / "fit")).start(program="/x/other.py")
    other.trace(trace_duration_ns=SECOND)
    said = compared(tmp_path / "a", tmp_path / "b")["notices"]
    assert said == [
        "The programs differ: train.py and other.py.",
        "Not all traces before were recorded: its counts are too low.",
        "A recording after has no end: it is running, or was killed.",
    ]


def test_what_keras_made_is_told_by_what_it_is(tmp_path: Path) -> None:
    file = "/lib/site-packages/keras/src/backend/tensorflow/trainer.py"
    for folder, traces in (("a", 4), ("b", 1)):
        recording = new_recording(tmp_path / folder)
        for number in range(traces):
            trace = recording.trace("one_step_on_data", shape=(number + 1, 10), write=False)
            trace.function.MergeFrom(pb.Function(library=True, file=file))
            recording.write(trace)
        recording.end(60)
    answer = compared(tmp_path / "a", tmp_path / "b")
    assert answer["sentence"].startswith(
        "The step that `fit` runs on a batch (`one_step_on_data`) was traced 4 times and is now traced once"
    ), answer
