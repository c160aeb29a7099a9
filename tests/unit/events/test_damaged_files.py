"""What is told of files that TensorBoard does not read to the end, and what is not."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tb_retrace_plugin.events.damaged_files import DamagedFiles
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.graphs import stored
from tb_retrace_plugin.schema import tags
from tests.support.logdirs import EventFile, Recording

RUN = "fit/retrace"


class Looker:
    """A DamagedFiles and its clock. `delivered`: tags."""

    def __init__(self, logdir: Path) -> None:
        self.now = 0.0
        self.delivered: set[str] = set()
        self.files = DamagedFiles(str(logdir), lambda: self.now)

    def look(self, runs: tuple[str, ...] = (RUN,)) -> list[Problem]:
        """Looks, and once more for what that found."""
        found = self.files.look(runs, lambda run, tag: run == RUN and tag in self.delivered)
        while any(thread.name == "retrace-damage" for thread in threading.enumerate()):
            time.sleep(0.001)
        found += self.files.look((), lambda run, tag: False)
        self.now += 10
        return found


def write(logdir: Path, traces: int, graph_after: int = 0) -> Path:
    recording = Recording(EventFile(logdir / "fit"))
    for seq in range(1, traces + 1):
        recording.trace()
        if seq == graph_after:
            recording.file.write_bytes(stored_graph())
    recording.file.close()
    return recording.file.path


def stored_graph() -> bytes:
    from tb_retrace_plugin.events import encode

    return encode.encode_graph("ab" * 32, stored.encode(b"content"), 1.7e9)


def tag_of(seq: int) -> str:
    return tags.trace_tag("session-1", seq)


def delivered_until(logdir: Path, seq: int) -> set[str]:
    """As TensorBoard does that stops before trace `seq`: all that was written before."""
    found = set()
    for item in read_logdir(str(logdir)):
        if isinstance(item, Record):
            tag = item.tag
            text = f"retrace/{tag.kind}/{tag.session}" + (f"/{tag.key}" if tag.key else "")
            if text == tag_of(seq):
                break
            found.add(text)
    return found


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x20
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("graph_after", [0, 1, 2, 3])
def test_a_damaged_record_that_stops_tensorboard_is_told_once_with_its_file(tmp_path: Path, graph_after: int) -> None:
    path = write(tmp_path, traces=5, graph_after=graph_after)
    looker = Looker(tmp_path)
    looker.delivered = delivered_until(tmp_path, 3)
    flip(path, path.read_bytes().index(tag_of(3).encode()) + 100)
    assert looker.look() == []  # it may have been written just then
    (problem,) = looker.look()
    assert problem.severity == "error"
    assert str(path) in problem.text
    at = int(problem.text.partition("at byte ")[2].partition(".")[0])
    place = path.read_bytes().index(tag_of(3).encode())
    assert place - 200 < at < place
    assert "tb-retrace report" in problem.text
    assert looker.look() == []


def test_a_damaged_length_is_told_when_all_before_it_was_delivered(tmp_path: Path) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    size = recording.file.path.stat().st_size
    recording.file.write_raw(b"\x00junk" * 10)
    recording.trace()
    looker = Looker(tmp_path)
    assert looker.look() + looker.look() + looker.look() == []  # not yet read that far
    looker.delivered = delivered_until(tmp_path, 2)
    assert looker.look() == []
    (problem,) = looker.look()
    assert f"{recording.file.path}: damaged at byte {size}." in problem.text


def test_what_is_only_late_or_cut_off_or_read_is_not_told(tmp_path: Path) -> None:
    path = write(tmp_path, traces=5)
    looker = Looker(tmp_path)
    for seq in (1, 3, 4, 99):
        looker.delivered = delivered_until(tmp_path, seq)
        assert looker.look() + looker.look() + looker.look() == []
    path.write_bytes(path.read_bytes()[:-20])  # killed while writing
    assert Looker(tmp_path).look() == []
    flip(path, path.read_bytes().index(tag_of(3).encode()) + 100)  # the data server looks at no checksum
    looker = Looker(tmp_path)
    looker.delivered = delivered_until(tmp_path, 99) | {tag_of(3)}
    assert looker.look() + looker.look() + looker.look() == []


def test_runs_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "fit" / "retrace").mkdir(parents=True)
    (tmp_path / "fit" / "retrace" / "events.out.tfevents.1.h.retrace").mkdir()
    looker = Looker(tmp_path)
    assert looker.look((RUN, "nothing", "../..")) + looker.look((RUN,)) == []


def test_a_file_system_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looker = Looker(tmp_path)
    write(tmp_path, 3)
    asked, answered = threading.Event(), threading.Event()
    listdir = os.listdir

    def hanging(path: str) -> list[str]:
        asked.set()
        answered.wait()
        return listdir(path)

    monkeypatch.setattr(os, "listdir", hanging)
    try:
        for _ in range(3):  # returns at once, and begins no further look
            assert looker.files.look([RUN], lambda run, tag: False) == []
            looker.now += 10
        assert asked.wait(60)
        assert sum(thread.name == "retrace-damage" for thread in threading.enumerate()) == 1
    finally:
        answered.set()
    monkeypatch.undo()
    assert looker.look() == []
