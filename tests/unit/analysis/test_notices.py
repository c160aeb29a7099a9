from __future__ import annotations

import re
from pathlib import Path

import tb_retrace_plugin.capture as capture_package
from tb_retrace_plugin.analysis.sessions.notices import _LOSSES, MAX_PROBLEMS, notices
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem, Record
from tests.support.stores import load, new_recording


def texts(store: Store) -> list[str]:
    return [notice.text for notice in notices(store)]


def test_a_whole_recording_has_none(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.end(5)
    assert texts(load(tmp_path)) == []


def test_traces_missing_from_an_ended_recording_are_counted(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.trace(write=False)
    recording.trace()
    recording.end(5, traces=5)
    (text,) = texts(load(tmp_path))
    assert text.startswith("fit/retrace: 3 traces of 5 are missing")


def test_a_gap_in_a_running_recording_is_no_loss(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("outer", write=False)  # a parent is written after its children
    recording.trace("inner", nested=True, parent_seq=1)
    assert texts(load(tmp_path)) == []


def test_losses_that_the_recorder_counted_are_told_in_words(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(losses={"graphs_over_budget": 3, "traces_not_recorded": 1, "nothing": 0})
    recording.end(5, losses={"graphs_over_budget": 1400})
    assert texts(load(tmp_path)) == [
        "fit/retrace: 1,400 graphs left out to save space; the traces themselves are all here.",
        "fit/retrace: 1 trace could not be recorded; counts and costs are too low by that.",
    ]


def test_a_loss_of_an_unknown_kind_is_told_all_the_same(tmp_path: Path) -> None:
    new_recording(tmp_path).end(5, losses={"graphs_left_out": 4})
    assert texts(load(tmp_path)) == ["fit/retrace: not everything was recorded: graphs left out: 4."]


def test_every_counter_of_the_recorder_has_words() -> None:
    capture = Path(capture_package.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in capture.glob("*.py"))
    counters = set(re.findall(r'(?:_losses\[|_lose\(|\.lost\()"(\w+)"', source))
    assert counters
    assert counters <= set(_LOSSES)


def test_functions_that_ran_eagerly_are_told_for_their_session(tmp_path: Path) -> None:
    new_recording(tmp_path / "a", "a").end(5)
    recording = new_recording(tmp_path / "b", "b")
    recording.trace()
    recording.end(5, ran_eagerly=True)
    (text,) = texts(load(tmp_path))
    assert text.startswith("b/fit/retrace: functions ran eagerly for some time")
    assert "`run_eagerly=True`" in text


def test_a_lost_start_and_lost_stacks_are_told(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace()
    recording.end(5)
    store = Store()
    items = read_logdir(str(tmp_path))
    store.add(i for i in items if isinstance(i, Record) and i.tag.kind not in ("session", "stack"))
    start, stacks = texts(store)
    assert "the start of the recording is missing" in start
    assert "the call stack of 1 trace is missing" in stacks


def test_a_thousand_problems_do_not_make_a_thousand_lines() -> None:
    store = Store()
    store.add(Problem("warning", f"record {number}") for number in range(1000))
    found = texts(store)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == "… and 980 more records could not be read."
