"""100,000 retraces of one function: the recorder's own memory, and the disk.

`.venv/bin/python -m tests.benchmarks.many_retraces [--quick]`. Bars of the project: memory flat (less than 100 bytes a
trace after the warm-up), the disk within its budget, counts exact.

TensorFlow keeps each graph, and more than the recorder could: so real traces are few, and the 100,000 are observations
of a real trace with another Python number each, handed to the recorder as its hook does. Memory is what tracemalloc
finds allocated by files of the package. The first fifth is warm-up:
the latest 20,000 signatures of a function are kept.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

import tb_retrace_plugin
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.watch import hook
from tb_retrace_plugin.events.files import read_logdir
from tests.support.observations import Observations

PACKAGE = os.path.dirname(tb_retrace_plugin.__file__)


def own_bytes() -> int:
    gc.collect()
    snapshot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{PACKAGE}/*")])
    return sum(statistic.size for statistic in snapshot.statistics("filename"))


def disk_bytes(log_dir: str) -> int:
    return sum(path.stat().st_size for path in Path(log_dir).rglob("*") if path.is_file())


def tell(name: str, log_dir: str, traces: int, sizes: list[tuple[int, int]]) -> bool:
    settled = np.array(sizes[len(sizes) // 5 :])
    slope = float(np.polyfit(settled[:, 0], settled[:, 1], 1)[0])
    store = Store()
    store.add(read_logdir(log_dir))
    (session,) = store.sessions
    counted = sum(tally_of(group).traces for group in session.functions.values())
    print(
        f"{name}: {traces:,} traces, {slope:+.1f} bytes a trace after the warm-up, at most"
        f" {max(settled[:, 1]) / 1e6:.1f} MB; disk {disk_bytes(log_dir) / 1e6:.1f} MB, {len(session.events):,} recorded"
        f" one by one, {session.omitted_traces:,} counted, {counted:,} in all totals, {session.missing} missing,"
        f" losses {session.losses}",
        flush=True,
    )
    return slope < 100 and counted == traces and not session.losses


def synthetic(traces: int) -> bool:
    with tempfile.TemporaryDirectory() as log_dir:
        observations = Observations()
        recording = Recording(log_dir)
        assert recording.recorder is not None
        recording.begin()
        sizes = []
        started = time.monotonic()
        gc.collect()
        gc.freeze()  # TensorFlow itself: collections are of what comes now
        tracemalloc.start(1)
        for number in range(traces):
            observations.hand_over(recording.recorder, number)
            if number % max(1, traces // 25) == 0:
                sizes.append((number, own_bytes()))
        tracemalloc.stop()
        recording.close()
        print(f"{traces:,} observations in {time.monotonic() - started:.0f} s (tracemalloc on)", flush=True)
        return tell("synthetic", log_dir, traces, sizes)


def real(traces: int) -> bool:
    with tempfile.TemporaryDirectory() as log_dir:
        recording = Recording(log_dir)
        recording.begin()
        sizes = []

        @tf.function
        def scaled(x: Any, k: int) -> Any:
            return x * 2.0 + k

        gc.collect()
        gc.freeze()  # TensorFlow itself: collections are of what comes now
        tracemalloc.start(1)
        for number in range(traces):
            scaled(tf.ones([]), number)
            if number % max(1, traces // 20) == 0:
                sizes.append((number, own_bytes()))
        tracemalloc.stop()
        recording.close()
        assert not hook._listeners
        tell("real TensorFlow (below the warm-up: signatures are being kept)", log_dir, traces, sizes)
        return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer traces")
    quick = parser.parse_args().quick
    good = real(1000 if quick else 5000)
    good &= synthetic(30_000 if quick else 100_000)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
