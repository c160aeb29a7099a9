"""The table of traces: a line a trace, exact, and nothing in it that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.exports.traces_csv import traces_csv
from tests.support.logdirs import write_recording
from tests.support.stores import load, new_recording


def table(directory: Path) -> list[dict[str, str]]:
    text = "".join(traces_csv(load(directory).sessions))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert text.count("\r\n") == text.count("\n") == len(rows), "one line a record"
    assert {len(row) for row in rows} == {len(rows[0])}
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_a_trace_is_a_line(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(jit_compile=True)
    recording.trace(shape=(7, 10), failed=True, error="ValueError: no")
    recording.first_call(1, 0.5, k=1)
    recording.compilation(1)
    recording.compilation(1, (7, 10), seconds=0.25)
    recording.end(60)
    first, second = table(tmp_path)
    assert list(first)[:2] == ["session", "seq"]
    assert (first["session"], first["seq"], first["run"]) == ("session-1", "1", "fit/retrace")
    assert (first["time_utc"], first["since_start_seconds"]) == ("2023-11-14 22:13:21.000000", "1.000000")
    assert (first["cause"], first["argument"], first["parent_seq"], first["worker"]) == ("", "", "", "")
    assert (first["trace_seconds"], first["first_call_seconds"], first["lost_seconds"]) == (
        "0.200000",
        "0.500000",
        "0.250000",
    )
    assert (first["recompilations"], first["recompilation_seconds"]) == ("1", "0.250000")
    assert (first["memory_before_bytes"], first["nodes"], first["failed"]) == ("100000000", "120", "0")
    assert (second["cause"], second["argument"], second["old"], second["new"]) == ("shape", "x", "(32, 10)", "(7, 10)")
    assert (second["failed"], second["error"], second["first_call_seconds"]) == ("1", "ValueError: no", "")
    assert (second["called_from_file"], second["called_from_line"]) == ("/home/user/train.py", "57")
    assert (second["called_from_source"], second["lost_seconds"]) == ("train_step(batch)", "0.200000")


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@SUM(A1)", "  =1+1", "\t=1", "\r=1", "\n=1", "＝1", "\u202e=1"])
def test_no_cell_is_a_formula(tmp_path: Path, evil: str) -> None:
    recording = new_recording(tmp_path)
    recording.trace(evil, source=evil, thread=evil, error=evil)
    (row,) = table(tmp_path)
    for column in ("function", "thread", "error"):
        text = row[column]
        assert text.startswith(("'", "\\")), text
        assert evil.lstrip() in text or "\\" in text


def test_a_negative_step_is_a_number_and_a_minus_alone_is_not(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(step=-5, error="-5")
    (row,) = table(tmp_path)
    assert (row["step"], row["error"]) == ("-5", "'-5")


def test_a_long_text_says_that_it_was_cut(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(error="x" * 5000, time_ns=-(2**63))
    (row,) = table(tmp_path)
    assert (len(row["error"]), row["error"][-2:]) == (2000, "x…")
    assert row["time_utc"] == ""


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_one_cell_and_comes_back(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        recording = new_recording(Path(directory))
        recording.trace(error=text)
        recording.file.close()
        (row,) = table(Path(directory))
    cell = row["error"]
    assert not cell.lstrip()[:1] or cell.lstrip()[0] not in "=+-@＝＋－＠"
    if text.isprintable() and not text.lstrip().startswith(tuple("=+-@＝＋－＠")):
        assert cell == text


def test_every_session_in_its_order(tmp_path: Path) -> None:
    write_recording(tmp_path / "a", 12, "session-1")
    write_recording(tmp_path / "b", 3, "session-2")
    rows = table(tmp_path)
    assert [(row["session"], int(row["seq"])) for row in rows] == [
        *(("session-1", seq) for seq in range(1, 13)),
        *(("session-2", seq) for seq in range(1, 4)),
    ]
