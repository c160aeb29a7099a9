"""How recording grows with what a program does more of, and reading with workers: fitted exponents.

`make bench`, or `.venv/bin/python -m tests.benchmarks.growth`. For each size the median of several traces; the exponent
is the slope of the straight line through the logarithms: 0 is a cost that does not grow, 1 one in proportion. Own work
is the time that this thread spends in Retrace's code; TensorFlow's is the rest of the trace's. So many traces that the
cost could grow with them TensorFlow could not keep: they are one real trace's observations, each with another Python
number, handed to the recorder as its hook does.

Workers record each by itself and know nothing of each other; what they add up to is read by one TensorBoard: the
processor's seconds for reading the records of 200 traces a worker, for the first digest, and for the workers' view.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.analysis.jobs.jobs import jobs
from tb_retrace_plugin.analysis.jobs.workers import workers
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.capture.api import Recording
from tests.benchmarks.trace_overhead import own_work
from tests.support.busy_logdir import write_busy_recording
from tests.support.observations import Observations
from tests.support.stores import load

#: Milliseconds: of Retrace's own code, and of the rest of the trace.
Work = tuple[float, float]


def work_of(trace: Callable[[], Any]) -> Work:
    within, beside, start = own_work.total, own_work.beside, time.thread_time()
    trace()
    worked = (time.thread_time() - start) * 1e3
    within, beside = own_work.total - within, own_work.beside - beside
    return within + beside, worked - within


def cached_signatures() -> dict[int, list[Work]]:
    """Later traces of one function."""

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * 2.0 + k

    x = tf.ones([4])
    found: dict[int, list[Work]] = {}
    for k in range(3200):
        one = work_of(lambda: scaled.get_concrete_function(x, k))  # noqa: B023
        for size in (100, 200, 400, 800, 1600, 3100):
            if size <= k < size + 100:
                found.setdefault(size, []).append(one)
    return found


def functions() -> dict[int, list[Work]]:
    """First traces, of more and more functions."""
    found: dict[int, list[Work]] = {}
    for index in range(1700):
        source = f"def step_{index}(x):\n    return x + {index}\n"
        namespace: dict[str, Any] = {}
        exec(compile(source, f"/tmp/made_{index}.py", "exec"), namespace)
        traced = tf.function(namespace[f"step_{index}"], autograph=False)
        one = work_of(lambda: traced.get_concrete_function(tf.TensorSpec([4])))  # noqa: B023
        for size in (100, 200, 400, 800, 1600):
            if size <= index < size + 100:
                found.setdefault(size, []).append(one)
    return found


def nodes() -> dict[int, list[Work]]:
    """Longer chains of ops."""
    found: dict[int, list[Work]] = {}
    for size in (100, 300, 1000, 3000, 10000):

        @tf.function(autograph=False)
        def chain(x: Any, k: int) -> Any:
            for _ in range(size):  # noqa: B023
                x = x + 1.0
            return x * k

        found[size] = [work_of(lambda: chain.get_concrete_function(tf.TensorSpec([4]), k)) for k in range(5)]  # noqa: B023
    return found


def leaves() -> dict[int, list[Work]]:
    """Longer lists of tensors as an argument, one of another shape each time."""
    found: dict[int, list[Work]] = {}
    for size in (10, 30, 100, 300, 1000):

        @tf.function(autograph=False)
        def first(values: Any) -> Any:
            return values[0]

        rest = [tf.TensorSpec([4])] * (size - 1)
        found[size] = [work_of(lambda: first.get_concrete_function([tf.TensorSpec([k]), *rest])) for k in range(9)]  # noqa: B023
    return found


def traces() -> None:
    """Of one recording: milliseconds of the recorder's own work for each, and bytes on disk."""
    found: dict[int, float] = {}
    sizes = [100, 400, 1600, 6400, 25600]
    bytes_of: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as log_dir:
        observations, recording = Observations(), Recording(log_dir)
        recorder = recording.recorder
        assert recorder is not None
        recording.begin()
        for number in range(sizes[-1] + 100):
            if number in sizes:
                bytes_of[number] = sum(path.stat().st_size for path in Path(log_dir).rglob("*") if path.is_file())
            start = time.thread_time()
            observations.hand_over(recorder, number)
            took = (time.thread_time() - start) * 1e3
            for size in sizes:
                if size <= number < size + 100:
                    found[size] = found.get(size, 0.0) + took / 100
        recording.close()
    tell("traces recorded", "Retrace, ms of a trace", found)
    tell("", "bytes on disk, in all", {size: float(count) for size, count in bytes_of.items()})


def workers_of_a_job() -> None:
    parts: dict[str, dict[int, float]] = {"reading": {}, "digest": {}, "the view": {}}
    for count in (1, 4, 16, 64):
        with tempfile.TemporaryDirectory() as folder:
            for worker in range(count):
                written = Path(folder) / f"written{worker}"
                write_busy_recording(written, 200, functions=20, session=f"session-{worker}", worker=worker)
                (Path(folder) / "fit" / "retrace").mkdir(parents=True, exist_ok=True)
                (written / "retrace").rename(Path(folder) / "fit" / "retrace" / f"worker{worker}")
            gc.collect()
            gc.freeze()  # TensorFlow itself: collections are of what comes now
            start = time.process_time()
            store = load(Path(folder))
            read = time.process_time()
            Digest(store).answer(None, 0)
            digested = time.process_time()
            (job,) = jobs(store.sessions)
            assert len(job.sessions) == count
            workers(job)
            parts["the view"][count] = time.process_time() - digested
            parts["reading"][count] = read - start
            parts["digest"][count] = digested - read
    for name, found in parts.items():
        tell("workers" if name == "reading" else "", f"{name}, s", found)


def tell(name: str, what: str, found: dict[int, float]) -> None:
    slope = np.polyfit(np.log(list(found)), np.log(list(found.values())), 1)[0]
    values = "  ".join(f"{n:,}: {value:,.4g}" for n, value in found.items())
    print(f"{name:<24} {what} n^{slope:.2f}   {values}", flush=True)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as log_dir, record(log_dir):
        for name, measure in (
            ("signatures cached", cached_signatures),
            ("functions traced", functions),
            ("nodes of the graph", nodes),
            ("leaves of the signature", leaves),
        ):
            found = measure()
            own, other = ([statistics.median(work[i] for work in found[size]) for size in found] for i in (0, 1))
            slopes = [np.polyfit(np.log(list(found)), np.log(values), 1)[0] for values in (own, other)]
            print(f"{name:<24} Retrace n^{slopes[0]:.2f}  TensorFlow n^{slopes[1]:.2f}   ms of a trace, own / other:")
            pairs = zip(found, own, other, strict=True)
            print("   " + "  ".join(f"{n:,}: {a:.2f} / {b:.1f}" for n, a, b in pairs), flush=True)
    traces()
    workers_of_a_job()


if __name__ == "__main__":
    main()
