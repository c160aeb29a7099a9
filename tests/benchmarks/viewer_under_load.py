"""What each route takes on a logdir of many traces, at rest, for four clients at once, and while it grows.

`.venv/bin/python -m tests.benchmarks.viewer_under_load [--traces 100000] [--quick]`.
A real TensorBoard with either loader. First 100,000 retraces of one function as the recorder writes them (of alike ones
most are counted only): no request is to take 200 ms. Then what no single function can give, as many traces written one
by one: half of them retraces of one function, the rest of 39 others. Prints milliseconds of requests (median, 95th
percentile, longest) at rest, for four clients at once, and while the recording grows by ten traces a second; and the
memory of TensorBoard and its data server. `--runs 300`: over so many runs; `--only recorded` or `written`: one kind.
"""

from __future__ import annotations

import argparse
import functools
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.logdirs import EventFile, Recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

_FUNCTIONS = 40
_LIMIT_MS = 200


def write(logdir: Path, traces: int, runs: int) -> list[Recording]:
    files = [EventFile(logdir / f"run-{n:03}", packed=True) for n in range(runs)]
    recordings = [Recording(file, f"session-{n}").start() for n, file in enumerate(files)]
    for number in range(traces):
        add(recordings[number % runs], number // runs)
    return recordings


class Recorded:
    """A recorder that is given `traces` retraces of one function, and then more."""

    def __init__(self, logdir: Path, traces: int) -> None:
        from tb_retrace_plugin.capture.api import Recording as OfThisProcess
        from tests.support.observations import Observations

        self._observations, self._recording = Observations(), OfThisProcess(str(logdir))
        self._recording.begin()
        self._given = 0
        for _ in range(traces):
            self.add()
        assert self._recording.recorder is not None
        self._recording.recorder.flush()

    def visible(self) -> int:
        """Those that were not counted only."""
        assert self._recording.recorder is not None
        return self._recording.recorder._traces

    def close(self) -> None:
        self._recording.close()

    def add(self) -> None:
        assert self._recording.recorder is not None
        self._observations.hand_over(self._recording.recorder, self._given)
        self._given += 1


def add(recording: Recording, number: int) -> None:
    name = f"step_{number % _FUNCTIONS}" if number % 2 else "train_step"
    recording.trace(name, shape=(number % 977 + 1, 10))


def add_to(recording: Recording) -> None:
    add(recording, len(recording.traces))


def ask(tensorboard: TensorBoard, route: str) -> tuple[float, int]:
    """Milliseconds and bytes."""
    start = time.perf_counter()
    status, _, body = tensorboard.get(route)
    assert status == 200, (route, status, body[:300])
    return (time.perf_counter() - start) * 1000, len(body)


def routes(tensorboard: TensorBoard, whole: bool) -> dict[str, Callable[[], str]]:
    """`whole`: those too whose answer is all that there is."""
    latest: dict[str, Any] = tensorboard.get_json("digest")
    since = f"digest?generation={latest['generation']}&since={latest['revision']}"
    traces = list(zip(latest["traces"]["session"], latest["traces"]["seq"], strict=True))
    sessions = [session["id"] for session in latest["sessions"]]

    def one() -> str:
        session, seq = random.choice(traces)
        return f"session={sessions[session] if isinstance(session, int) else session}&seq={seq}"

    found = {
        "digest, incremental": lambda: since,
        "trace": lambda: f"trace?{one()}",
        "function": lambda: f"function?{one()}",
    }
    return {**found, "digest, whole": lambda: "digest", "report (an export)": lambda: "report"} if whole else found


def measure(tensorboard: TensorBoard, name: str, url: Callable[[], str], times: int, clients: int = 1) -> float:
    found: list[float] = []
    size = 0

    def client() -> None:
        nonlocal size
        for _ in range(times // clients):
            took, size = ask(tensorboard, url())
            found.append(took)

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.sort()
    late = sum(took > _LIMIT_MS for took in found)
    print(
        f"    {name:28} median {statistics.median(found):6.1f}  95 % {found[int(len(found) * 0.95)]:6.1f}  "
        f"longest {found[-1]:7.1f} ms  ({size:,} bytes; {late} of {len(found)} over {_LIMIT_MS} ms)",
        flush=True,
    )
    return statistics.median(found)


def memory(tensorboard: TensorBoard) -> str:
    return " + ".join(f"{one} MB" for one in memory_mb(tensorboard))


def memory_mb(tensorboard: TensorBoard) -> list[int]:
    """Resident: of TensorBoard, and of its data server."""
    pid = tensorboard.process.pid
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    return [_resident_mb(int(one)) for one in [pid, *children]]


def _resident_mb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0


def run(logdir: Path, load_fast: str, times: int, traces: int, add_one: Callable[[], None], *, whole: bool) -> None:
    print(f"  --load_fast={load_fast}", flush=True)
    begun = time.perf_counter()
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={load_fast}") as tensorboard:
        wait_for(tensorboard, traces)
        print(f"    all there after {time.perf_counter() - begun:.1f} s; memory {memory(tensorboard)}", flush=True)
        took, size = ask(tensorboard, "digest")
        print(f"    digest, whole: {took:.0f} ms, {size:,} bytes; memory {memory(tensorboard)}", flush=True)
        asked = routes(tensorboard, whole)
        for url in asked.values():
            ask(tensorboard, url())
        print("   at rest")
        for name, url in asked.items():
            measure(tensorboard, name, url, times)
        print("   four clients at once")
        for name, url in asked.items():
            measure(tensorboard, name, url, times, clients=4)
        print("   while it grows by ten traces a second")
        stop = threading.Event()

        def grow() -> None:
            while not stop.wait(0.1):
                add_one()

        grower = threading.Thread(target=grow)
        grower.start()
        try:
            time.sleep(5)
            for name, url in asked.items():
                measure(tensorboard, name, url, times)
                time.sleep(1)
        finally:
            stop.set()
            grower.join()
        if not whole:
            took, size = ask(tensorboard, "report")
            print(f"    report: {took:.0f} ms, {size:,} bytes; memory {memory(tensorboard)}", flush=True)


def wait_for(tensorboard: TensorBoard, traces: int) -> None:
    """Asks with the incremental digest: the whole one of a logdir that is still read is long."""
    generation, revision, seen = "", 0, set()
    while True:
        try:
            answer = tensorboard.get_json(
                f"digest?generation={generation}&since={revision}" if generation else "digest"
            )
        except (urllib.error.URLError, TimeoutError, AssertionError):
            time.sleep(1)
            continue
        if answer["reset"]:
            seen.clear()
        generation, revision = answer["generation"], answer["revision"]
        seen.update(zip(answer["traces"]["session"], answer["traces"]["seq"], strict=True))
        if len(seen) >= traces:
            return
        time.sleep(0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--quick", action="store_true", help="2,000 traces, few requests")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--requests", type=int, default=60, help="per route and situation")
    parser.add_argument("--only", choices=["", "recorded", "written"], default="")
    parser.add_argument("--load_fast", choices=["true", "false"], help="this loader alone")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.traces, arguments.requests = 2_000, 8
    for kind in ("recorded", "written"):
        if arguments.only in ("", kind):
            measure_kind(kind, arguments)


def measure_kind(kind: str, arguments: argparse.Namespace) -> None:
    traces, runs = arguments.traces, arguments.runs
    what = "retraces of one function, recorded" if kind == "recorded" else f"traces written one by one, in {runs} runs"
    print(f"{traces:,} {what}")
    for load_fast in [arguments.load_fast] if arguments.load_fast else ["true", "false"]:
        logdir = Path(tempfile.mkdtemp(prefix="retrace-load-"))
        try:
            if kind == "recorded":
                recorded = Recorded(logdir, traces)
                run(logdir, load_fast, arguments.requests, recorded.visible(), recorded.add, whole=True)
                recorded.close()
            else:
                recordings = write(logdir, traces, runs)
                there = sum(len(recording.traces) for recording in recordings)
                run(logdir, load_fast, arguments.requests, there, functools.partial(add_to, recordings[0]), whole=False)
        finally:
            shutil.rmtree(logdir)


if __name__ == "__main__":
    main()
