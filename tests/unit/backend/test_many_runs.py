"""Hundreds of runs, several clients at once, and runs that go meanwhile: in a real TensorBoard, both loaders."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.logdirs import EventFile, Recording, write_recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

RUNS = 200


@pytest.fixture(params=["true", "false"], ids=["data server", "python loader"])
def board(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[TensorBoard, Path]]:
    for number in range(RUNS):
        write_recording(tmp_path / f"run-{number:03}", traces=2, session=f"session-{number}", functions=1)
    with run_tensorboard(f"--logdir={tmp_path}", f"--load_fast={request.param}", forked=True) as tensorboard:
        tensorboard.wait_for_traces(2 * RUNS)
        yield tensorboard, tmp_path


def test_clients_look_while_runs_come_and_go(board: tuple[TensorBoard, Path]) -> None:
    """Every answer is whole: a digest put together from updates is one that the server gave whole at that time."""
    tensorboard, logdir = board
    wrong: list[object] = []
    stop = threading.Event()

    def client(number: int) -> None:
        held: dict[tuple[str, int], bool] = {}
        generation, revision = "", 0
        sessions: list[str] = []
        while not stop.is_set():
            answer = tensorboard.get_json(
                f"digest?generation={generation}&since={revision}" if generation else "digest"
            )
            if answer["reset"] or not generation:
                held.clear()
            generation, revision = answer["generation"], answer["revision"]
            sessions = [session["id"] for session in answer["sessions"]]
            traces = answer["traces"]
            held.update({(sessions[s], seq): True for s, seq in zip(traces["session"], traces["seq"], strict=True)})
            if answer["summary"]["traces"] != len(held):
                wrong.append((number, answer["summary"], len(held)))
            for route in (f"trace?session={sessions[number]}&seq=1", f"function?session={sessions[-1]}&seq=1"):
                status, _, body = tensorboard.get(route)
                if status not in (200, 404):  # it may have gone meanwhile
                    wrong.append((route, status, body))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    try:
        recording = Recording(EventFile(logdir / "new"), "new")
        for _ in range(5):
            recording.trace()
        for number in range(0, 40, 2):
            shutil.rmtree(logdir / f"run-{number:03}")
        left = RUNS - 20 + 1, 2 * (RUNS - 20) + 5
        tensorboard.wait_for_digest(lambda digest: (len(digest["sessions"]), digest["summary"]["traces"]) == left)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert tensorboard.get("trace?session=session-0&seq=1")[0] == 404
    assert tensorboard.get("trace?session=session-1&seq=1")[0] == 200
    assert "Retrace could not answer" not in tensorboard.output
