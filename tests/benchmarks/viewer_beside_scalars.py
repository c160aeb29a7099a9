"""TensorBoard on many traces, and on as many scalar points in as many tags: until all are there, memory, requests.

`make bench`, or `.venv/bin/python -m tests.benchmarks.viewer_beside_scalars [--pairs 3] [--quick]`. Bars of the
project: 10,000 traces within 1.5 times the time of 10,000 scalar points; requests under 50 ms (median).

For 1,000, 10,000 and 100,000, and for the Rust data server and the Python loader, a TensorBoard on a logdir of traces
and one on a logdir of scalars are started in turns. Time is from the start of the process (importing TensorBoard in
it, the same for both) until the answer that the tab asks for first names all: Retrace's digest, the Time Series tab's
`tags`; both are asked for every 50 ms. Memory is that of TensorBoard and its data server then, resident.
Requests are what the two ask for afterwards. Traces have stacks and, as the recorder stores them, 64 graphs a function
and one in ten beyond; half of the traces are of one function, the rest of 39.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.graphs.slim import slim_graph
from tb_retrace_plugin.graphs.stored import Base
from tb_retrace_plugin.graphs.stored import encode as encode_graph
from tests.benchmarks.viewer_under_load import memory_mb
from tests.support.logdirs import EventFile, Recording
from tests.support.small_graphs import graph
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

SIZES = (1_000, 10_000, 100_000)
LOADERS = {"Rust": "true", "Python": "false"}
_OTHERS = 39
_GRAPHS_KEPT = 64
_NODES = 100
_POLL_S = 0.05
_PATIENCE_S = 400.0


class Seen(NamedTuple):
    seconds: float
    answers: float  # seconds until TensorBoard answered at all
    memory_mb: int
    requests: dict[str, float]  # median, ms


def write_traces(logdir: Path, count: int) -> None:
    recording = Recording(EventFile(logdir / "train", packed=True)).start()
    bases: dict[str, Base] = {}
    traces_of: dict[str, int] = {}
    for number in range(count):
        name = f"step_{number % _OTHERS}" if number % 2 else "train_step"
        traces_of[name] = n = traces_of.get(name, 0) + 1
        fields: dict[str, object] = {}
        if n <= _GRAPHS_KEPT or n % 10 == 0:
            slim = slim_graph([graph(number + 1, _NODES)])
            event = encode.encode_graph(slim.sha256, encode_graph(slim.content, bases.get(name)), 1.0)
            bases.setdefault(name, Base(slim.sha256, slim.content))
            recording.file.write_bytes(event)
            fields = {"graph_sha256": slim.sha256}
        recording.trace(name, shape=(number + 1, 10), nodes=_NODES, **fields)
    recording.end(seconds=count + 60)


def write_scalars(logdir: Path, count: int) -> None:
    """As many tags with a point each."""
    writer = EventFileWriter(str(logdir / "train"))
    for number in range(count):
        value = summary_pb2.Summary.Value(tag=f"loss/{number}", simple_value=float(number))
        summary = summary_pb2.Summary(value=[value])
        writer.add_event(event_pb2.Event(wall_time=1.7e9 + number, step=number, summary=summary))
    writer.close()


class Traces:
    """What the Retrace tab asks for."""

    def __init__(self, board: TensorBoard, count: int) -> None:
        self._board, self._count = board, count
        self._state: dict[str, Any] = {}
        self._seen: set[tuple[str, int]] = set()

    def all_there(self) -> bool:
        answer = json.loads(ask(self._board, f"retrace/digest?{urllib.parse.urlencode(self._state)}"))
        if answer["reset"]:
            self._seen.clear()
        self._state = {"generation": answer["generation"], "since": answer["revision"]}
        self._seen.update(zip(answer["traces"]["session"], answer["traces"]["seq"], strict=True))
        return len(self._seen) >= self._count

    def requests(self) -> dict[str, Callable[[], bytes]]:
        def one() -> str:
            return f"session=session-1&seq={random.randrange(1, self._count + 1)}"

        incremental = f"retrace/digest?{urllib.parse.urlencode(self._state)}"
        return {
            "digest": lambda: ask(self._board, incremental),
            "whole digest": lambda: ask(self._board, "retrace/digest"),
            "trace": lambda: ask(self._board, f"retrace/trace?{one()}"),
            "function": lambda: ask(self._board, f"retrace/function?{one()}"),
        }


class Scalars:
    """What the Time Series tab asks for."""

    def __init__(self, board: TensorBoard, count: int) -> None:
        self._board, self._count = board, count

    def all_there(self) -> bool:
        answer = json.loads(ask(self._board, "timeseries/tags"))
        return sum(map(len, answer["scalars"]["runTagInfo"].values())) >= self._count

    def requests(self) -> dict[str, Callable[[], bytes]]:
        def one_tag() -> bytes:
            wanted = [{"plugin": "scalars", "tag": f"loss/{random.randrange(self._count)}"}]
            boundary = "tag-of-the-benchmark"
            form = f'--{boundary}\r\nContent-Disposition: form-data; name="requests"\r\n\r\n'
            body = f"{form}{json.dumps(wanted)}\r\n--{boundary}--\r\n".encode()
            return ask(
                self._board,
                "timeseries/timeSeries",
                body,
                {"Content-Type": f"multipart/form-data; boundary={boundary}"},
            )

        return {"tags": lambda: ask(self._board, "timeseries/tags"), "timeSeries of a tag": one_tag}


def ask(board: TensorBoard, route: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
    request = urllib.request.Request(f"{board.address}data/plugin/{route}", body, headers or {})
    with urllib.request.urlopen(request, timeout=_PATIENCE_S) as response:
        found: bytes = response.read()
        return found


def look(kind: Callable[[TensorBoard, int], Any], logdir: Path, loader: str, count: int, times: int) -> Seen:
    started = time.perf_counter()
    with run_tensorboard(f"--logdir={logdir}", f"--load_fast={LOADERS[loader]}") as board:
        asked, answered = kind(board, count), 0.0
        while True:
            try:
                ready = asked.all_there()
                answered = answered or time.perf_counter() - started
            except urllib.error.HTTPError as error:
                raise AssertionError(error.url, error.read()) from error
            if ready:
                break
            assert time.perf_counter() - started < _PATIENCE_S, board.output
            time.sleep(_POLL_S)
        seconds = time.perf_counter() - started
        memory = sum(memory_mb(board))
        requests = {name: median_ms(request, times) for name, request in asked.requests().items()}
        return Seen(seconds, answered, memory, requests)


def median_ms(request: Callable[[], bytes], times: int) -> float:
    took = []
    for _ in range(times):
        start = time.perf_counter()
        request()
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def compare(folder: Path, count: int, loader: str, pairs: int, times: int) -> tuple[float, float]:
    """Prints; returns the seconds of both."""
    found: list[tuple[Seen, Seen]] = []
    for number in range(pairs):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        both: dict[int, Seen] = {}
        for index in order:
            kind, name = ((Traces, "traces"), (Scalars, "scalars"))[index]
            both[index] = look(kind, folder / name, loader, count, times)
        found.append((both[0], both[1]))
    traces, scalars = ([pair[i] for pair in found] for i in (0, 1))
    ratios = sorted(a.seconds / b.seconds for a, b in found)
    memories = [statistics.median(one.memory_mb for one in side) for side in (traces, scalars)]
    times_of = [statistics.median(one.seconds for one in side) for side in (traces, scalars)]
    starts = [statistics.median(one.answers for one in side) for side in (traces, scalars)]
    print(
        f"{count:>7,}  {loader:<6}  traces {times_of[0]:6.2f} s   scalars {times_of[1]:6.2f} s"
        f"   ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} … {ratios[-1]:.2f}, {pairs} pairs)"
        f"   first answers {starts[0]:.2f} and {starts[1]:.2f} s   memory {memories[0]:,.0f} and {memories[1]:,.0f} MB"
    )
    for name, side in (("Retrace", traces), ("Time Series", scalars)):
        medians = {key: statistics.median(one.requests[key] for one in side) for key in side[0].requests}
        text = "   ".join(f"{key} {value:.1f}" for key, value in medians.items())
        print(f"         requests, median ms, {name}: {text}", flush=True)
    return times_of[0], times_of[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5, help="of 100,000: three at most")
    parser.add_argument("--quick", action="store_true", help="one pair of 1,000 and 10,000 only")
    arguments = parser.parse_args()
    sizes = SIZES[:2] if arguments.quick else SIZES
    grown: dict[str, list[tuple[float, float]]] = {loader: [] for loader in LOADERS}
    for count in sizes:
        folder = Path(tempfile.mkdtemp(prefix="retrace-beside-"))
        try:
            write_traces(folder / "traces", count)
            write_scalars(folder / "scalars", count)
            pairs = 1 if arguments.quick else min(arguments.pairs, 3 if count == SIZES[-1] else arguments.pairs)
            times = 10 if arguments.quick or count == SIZES[-1] else 30
            for loader in LOADERS:
                grown[loader].append(compare(folder, count, loader, pairs, times))
        finally:
            shutil.rmtree(folder)
    for loader, seconds in grown.items():
        slopes = [np.polyfit(np.log(sizes), np.log([one[i] for one in seconds]), 1)[0] for i in (0, 1)]
        print(f"seconds grow, {loader:<6}: traces n^{slopes[0]:.2f}   scalars n^{slopes[1]:.2f} (the start is in them)")


if __name__ == "__main__":
    main()
