"""What each route takes on a logdir of many traces, at rest, for four clients at once, and while it grows.

`.venv/bin/python -m tests.benchmarks.viewer_under_load [--traces 100000] [--quick]`.
A real TensorBoard with either loader: half of the traces are retraces of one function, the rest of 39 others. Prints
milliseconds of requests (median, 95th percentile, longest) at rest, for four clients at once, and while the recording
grows by ten traces a second; and the memory of TensorBoard and its data server. `--runs 300` spreads them over runs.
"""

from __future__ import annotations

import argparse
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
    recordings = [Recording(EventFile(logdir / f"run-{n:03}"), f"session-{n}").start() for n in range(runs)]
    for number in range(traces):
        add(recordings[number % runs], number // runs)
    return recordings


def add(recording: Recording, number: int) -> None:
    name = f"step_{number % _FUNCTIONS}" if number % 2 else "train_step"
    recording.trace(name, shape=(number % 977 + 1, 10))


def ask(tensorboard: TensorBoard, route: str) -> tuple[float, int]:
    """Milliseconds and bytes."""
    start = time.perf_counter()
    status, _, body = tensorboard.get(route)
    assert status == 200, (route, status, body[:300])
    return (time.perf_counter() - start) * 1000, len(body)


def routes(tensorboard: TensorBoard, sessions: int, traces: int) -> dict[str, Callable[[], str]]:
    latest: dict[str, Any] = tensorboard.get_json("digest")
    state = {"generation": latest["generation"], "revision": latest["revision"]}

    def digest() -> str:
        return f"digest?generation={state['generation']}&since={state['revision']}"

    def one() -> str:
        return f"session=session-{random.randrange(sessions)}&seq={random.randrange(1, traces // sessions + 1)}"

    found = {"digest, incremental": digest, "trace": lambda: f"trace?{one()}"}
    if tensorboard.get(f"function?{one()}")[0] == 200:
        found["function"] = lambda: f"function?{one()}"
    return found


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


def run(logdir: Path, load_fast: str, recordings: list[Recording], traces: int, times: int) -> None:
    print(f"  --load_fast={load_fast}", flush=True)
    begun = time.perf_counter()
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={load_fast}") as tensorboard:
        wait_for(tensorboard, sum(len(recording.traces) for recording in recordings))
        print(f"    all there after {time.perf_counter() - begun:.1f} s; memory {memory(tensorboard)}", flush=True)
        took, size = ask(tensorboard, "digest")
        print(f"    digest, whole: {took:.0f} ms, {size:,} bytes; memory {memory(tensorboard)}", flush=True)
        asked = routes(tensorboard, len(recordings), traces)
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
            number = len(recordings[0].traces)
            while not stop.wait(0.1):
                add(recordings[0], number)
                number += 1

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
    parser.add_argument("--load_fast", choices=["true", "false"], help="this loader alone")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.traces, arguments.requests = 2_000, 8
    print(f"{arguments.traces:,} traces in {arguments.runs} runs")
    for load_fast in [arguments.load_fast] if arguments.load_fast else ["true", "false"]:
        logdir = Path(tempfile.mkdtemp(prefix="retrace-load-"))
        try:
            recordings = write(logdir, arguments.traces, arguments.runs)
            run(logdir, load_fast, recordings, arguments.traces, arguments.requests)
        finally:
            shutil.rmtree(logdir)


if __name__ == "__main__":
    main()
