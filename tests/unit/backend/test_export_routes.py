"""Downloads: the same bytes as from the command line, sent while they are made; and two recordings side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tb_retrace_plugin.backend import plugin as plugin_module
from tb_retrace_plugin.commands.main import main
from tests.support.logdirs import STARTED_NS, EventFile, Recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

NAMES = {"csv": "retrace-traces.csv", "chrome_trace": "retrace-chrome-trace.json", "report": "retrace.json"}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("logs")
    # Read in another order than they started.
    for name, traces, started in (("a", 3, 500), ("b", 1200, 0), ("c", 2, 900)):
        file = EventFile(directory / name, started_ns=STARTED_NS + started)
        recording = Recording(file, f"session-{name}", STARTED_NS + started)
        for number in range(traces):
            recording.trace("größe", shape=(number + 1, 10), source="größe(=1)")
        recording.end(6000)
    return directory


@pytest.fixture(scope="module", params=["true", "false"], ids=["data server", "python loader"])
def board(request: pytest.FixtureRequest, logdir: Path) -> Iterator[TensorBoard]:
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={request.param}", forked=True) as running:
        running.wait_for_traces(1205)
        yield running


@pytest.mark.parametrize("session", ["", "session-b"])
@pytest.mark.parametrize(("route", "form"), [("csv", "csv"), ("chrome_trace", "chrome-trace")])
def test_the_tab_and_the_command_line_write_the_same(
    board: TensorBoard, logdir: Path, route: str, form: str, session: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    status, headers, body = board.get(f"{route}?session={session}" if session else route)
    assert status == 200
    assert headers["Content-Disposition"] == f'attachment; filename="{NAMES[route]}"'
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers.get_content_type() == ("text/csv" if route == "csv" else "application/json")
    assert headers["Content-Encoding"] is None
    assert main(["report", str(logdir), "--format", form, *(["--session", session] if session else [])]) == 0
    out, err = capfdbinary.readouterr()
    assert err == b""
    assert len(out) > 100_000
    assert out == body


def test_a_session_alone(board: TensorBoard) -> None:
    _, _, body = board.get("csv?session=session-a")
    assert [line.split(",")[:2] for line in body.decode().splitlines()[1:]] == [
        ["session-a", str(n)] for n in (1, 2, 3)
    ]
    assert [s["id"] for s in board.get_json("report?session=session-c")["sessions"]] == ["session-c"]
    assert len(board.get_json("report")["sessions"]) == 3
    processes = [
        e for e in board.get_json("chrome_trace?session=session-a")["traceEvents"] if e["name"] == "process_name"
    ]
    assert [process["args"]["name"] for process in processes] == ["a/retrace (testhost, process 4242)"]


def compared(board: TensorBoard, query: str) -> tuple[int, Any]:
    status, _, body = board.get(f"compare_runs{query}")
    return status, json.loads(body)


def test_two_recordings_are_compared(board: TensorBoard) -> None:
    status, answer = compared(board, "?a=session-b&b=session-a")
    assert status == 200
    assert answer["sentence"].startswith("`größe` was traced 1,200 times and is now traced 3 times: ")
    assert (answer["a"]["sessions"], answer["b"]["sessions"]) == (["session-b"], ["session-a"])
    assert answer["functions"][0]["b"]["costliest"] == {"session": "session-a", "seq": 2}
    _, both = compared(board, "?a=session-b&b=session-a,session-c")
    assert (both["b"]["sessions"], both["b"]["traces"]) == (["session-a", "session-c"], 5)


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ("", 400, "Say which recordings: ?a=ID&b=ID"),
        ("?a=session-a", 400, "Say which recordings"),
        ("?a=session-a&b=" + ",".join(f"s{n}" for n in range(65)), 400, "64 a side at most"),
        ("?a=session-a&b=elsewhere", 404, "No such recording below this logdir"),
        ("?a=session-a&b=session-b,", 404, "No such recording below this logdir"),
    ],
)
def test_what_cannot_be_compared_is_told(board: TensorBoard, query: str, status: int, text: str) -> None:
    answer = compared(board, query)
    assert (answer[0], text in answer[1]["error"]) == (status, True)


@pytest.mark.parametrize("route", NAMES)
def test_a_session_that_is_not_there_is_told(board: TensorBoard, route: str) -> None:
    status, _, body = board.get(f"{route}?session=elsewhere")
    assert (status, "No such recording" in json.loads(body)["error"]) == (404, True)


def test_pieces_are_sent_in_chunks_and_none_is_held_back() -> None:
    pulled: list[int] = []

    def pieces() -> Iterator[str]:
        for number in range(10):
            pulled.append(number)
            yield "é" * 30_000

    chunks = plugin_module._encoded(pieces())
    first = next(chunks)
    assert (len(first.decode()), pulled) == (90_000, [0, 1, 2])
    assert len((first + b"".join(chunks)).decode()) == 300_000
