"""The routes of a real TensorBoard, with its Python loader and with its data server: the same answers from both."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.analysis.exports.report import report
from tests.support.logdirs import EventFile, Recording, write_recording
from tests.support.stores import load
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

LOADERS = ["true", "false"]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    write_recording(directory / "fit", traces=2500, session="session-a", functions=7)
    recording = Recording(EventFile(directory / "deep" / "er"), "session-b").start(worker=1)
    recording.trace("größe", shape=(1,))
    recording.trace("größe", shape=(2,), failed=True, error="ValueError: no")
    recording.first_call(1, 0.25, k=1)
    return directory


@pytest.fixture(scope="module", params=LOADERS, ids=["data server", "python loader"])
def tensorboard(request: pytest.FixtureRequest, logdir: Path) -> Iterator[TensorBoard]:
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={request.param}") as process:
        process.wait_for_traces(2502)
        yield process


def listing(tensorboard: TensorBoard) -> dict[str, Any]:
    with urllib.request.urlopen(f"{tensorboard.address}data/plugins_listing") as response:
        plugins: dict[str, Any] = json.load(response)
    return plugins


def rows(digest: dict[str, Any]) -> set[tuple[Any, ...]]:
    """A digest's traces without the order of sessions and functions, which is that of reading."""
    traces = {name: column for name, column in digest["traces"].items() if name not in ("session", "function")}
    runs = [digest["sessions"][index]["run"] for index in digest["traces"]["session"]]
    names = [digest["functions"][index]["name"] for index in digest["traces"]["function"]]
    return set(zip(runs, names, *traces.values(), strict=True))


def test_every_trace_is_served_as_it_lies_on_disk(tensorboard: TensorBoard, logdir: Path) -> None:
    from tb_retrace_plugin.analysis.pages.digest import Digest

    served = tensorboard.get_json("digest")
    from_disk = json.loads(json.dumps(Digest(load(logdir)).answer(None, 0)))
    assert rows(served) == rows(from_disk)
    assert served["summary"] == from_disk["summary"]
    assert {s["run"] for s in served["sessions"]} == {"fit/retrace", "deep/er/retrace"}


def test_the_report_is_that_of_the_command_line(tensorboard: TensorBoard, logdir: Path) -> None:
    served, from_disk = tensorboard.get_json("report"), json.loads(json.dumps(report(load(logdir))))
    for document in (served, from_disk):
        document["sessions"].sort(key=lambda s: s["id"])
        for session in document["sessions"]:
            session["functions"].sort(key=lambda f: f["name"])
    assert served == from_disk


def test_a_trace_in_full(tensorboard: TensorBoard) -> None:
    detail = tensorboard.get_json("trace?session=session-b&seq=2")
    assert detail["function"]["name"] == "größe"
    assert detail["event"]["changes"] == [{"cause": "shape", "path": "x", "old": "(1,)", "new": "(2,)"}]
    assert detail["stack"][1]["source"] == "    train_step(batch)"


def test_an_answer_continues_where_the_last_one_ended(tensorboard: TensorBoard) -> None:
    first = tensorboard.get_json("digest")
    later = tensorboard.get_json(f"digest?generation={first['generation']}&since={first['revision']}")
    assert (later["traces"]["seq"], later["reset"]) == ([], False)


def test_errors_and_methods(tensorboard: TensorBoard) -> None:
    assert tensorboard.get("trace?session=none&seq=1")[0] == 404
    assert tensorboard.get("digest?generation=x&since=y")[0] == 400
    status, headers, body = tensorboard.get("digest", method="POST")
    assert (status, headers["Allow"]) == (405, "GET")
    assert "error" in json.loads(body)


def test_nothing_but_the_tabs_own_files_is_served(tensorboard: TensorBoard) -> None:
    status, headers, body = tensorboard.get("index.js")
    assert (status, headers.get_content_type()) == (200, "text/javascript")
    assert b"render" in body
    for path in (
        "static/../plugin.py",
        "static/%2e%2e/plugin.py",
        "../../etc/passwd",
        "static/nothing.js",
        "plugin.py",
    ):
        assert tensorboard.get(path)[0] == 404


def test_data_activates_the_tab(tensorboard: TensorBoard) -> None:
    plugin = listing(tensorboard)["retrace"]
    assert (plugin["enabled"], plugin["tab_name"]) == (True, "Retrace")
    assert plugin["loading_mechanism"]["type"] == "IFRAME"


@pytest.mark.parametrize("load_fast", LOADERS)
def test_a_running_recording_is_followed(tmp_path: Path, load_fast: str) -> None:
    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={load_fast}", forked=True) as tensorboard:
        assert tensorboard.get_json("digest")["summary"]["sentence"] == "Nothing is recorded here yet."
        assert listing(tensorboard)["retrace"]["enabled"] is False
        recording = Recording(EventFile(tmp_path / "fit"))
        recording.trace()
        first = tensorboard.wait_for_traces(1)
        recording.trace()
        recording.first_call(1, 0.5, k=1)
        url = f"digest?generation={first['generation']}&since={first['revision']}"
        tensorboard.wait_for_digest(lambda digest: digest["functions"][0]["first_call_seconds"] > 0)
        later = tensorboard.get_json(url)
        assert (later["reset"], later["traces"]["seq"]) == (False, [1, 2])
        recording.end(60)
        assert tensorboard.wait_for_digest(lambda digest: digest["sessions"][0]["ended"])
        assert listing(tensorboard)["retrace"]["enabled"] is True


@pytest.mark.parametrize("load_fast", LOADERS)
def test_a_run_that_vanishes_is_dropped(tmp_path: Path, load_fast: str) -> None:
    write_recording(tmp_path / "gone", traces=5, session="session-1")
    write_recording(tmp_path / "stays", traces=3, session="session-2")
    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={load_fast}", forked=True) as tensorboard:
        before = tensorboard.wait_for_traces(8)
        shutil.rmtree(tmp_path / "gone")
        tensorboard.wait_for_traces(3)
        after = tensorboard.get_json(f"digest?generation={before['generation']}&since={before['revision']}")
        assert after["reset"] is True
        assert [session["run"] for session in after["sessions"]] == ["stays/retrace"]
        assert tensorboard.get("trace?session=session-1&seq=1")[0] == 404


@pytest.mark.parametrize("load_fast", LOADERS)
def test_damaged_files_do_not_hide_the_others(tmp_path: Path, load_fast: str) -> None:
    write_recording(tmp_path / "good", traces=3, session="session-1")
    cut = write_recording(tmp_path / "cut", traces=3, session="session-2").file.path
    cut.write_bytes(cut.read_bytes()[:-30])
    junk = tmp_path / "junk" / "events.out.tfevents.1.h.retrace"
    junk.parent.mkdir()
    junk.write_bytes(b"junk" * 500)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "events.out.tfevents.1.h.retrace").touch()
    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={load_fast}", forked=True) as tensorboard:
        digest = tensorboard.wait_for_traces(6)
        assert sorted((s["run"], s["ended"]) for s in digest["sessions"]) == [
            ("cut/retrace", False),
            ("good/retrace", True),
        ]


@pytest.mark.parametrize("load_fast", LOADERS)
def test_where_tensorboard_stops_without_a_word_the_file_is_named(tmp_path: Path, load_fast: str) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    place = recording.file.path.stat().st_size
    recording.file.write_raw(b"\x00junk" * 10)
    recording.trace()
    recording.end(60)
    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={load_fast}", forked=True) as tensorboard:
        digest = tensorboard.wait_for_digest(lambda digest: any("damaged" in n["text"] for n in digest["notices"]))
        assert digest["traces"]["seq"] == [1]
        (notice,) = digest["notices"]
        assert notice["text"].startswith(
            f"{recording.file.path}: damaged at byte {place}. TensorBoard reads no further"
        )


def test_a_path_prefix_is_honoured(tmp_path: Path) -> None:
    write_recording(tmp_path, traces=2)
    with run_tensorboard(f"--logdir={tmp_path}", path_prefix="/some/prefix", forked=True) as tensorboard:
        tensorboard.wait_for_traces(2)
        assert tensorboard.get("index.js")[0] == 200


def test_several_logdirs_by_name(tmp_path: Path) -> None:
    write_recording(tmp_path / "one", traces=2, session="session-1")
    write_recording(tmp_path / "two", traces=3, session="session-2")
    spec = f"first:{tmp_path / 'one'},second:{tmp_path / 'two'}"
    with run_tensorboard(f"--logdir_spec={spec}", forked=True) as tensorboard:
        digest = tensorboard.wait_for_traces(5)
        assert {session["run"] for session in digest["sessions"]} == {"first/retrace", "second/retrace"}
