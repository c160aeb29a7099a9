"""What recording adds to a trace: recorded and unrecorded traces side by side in one run.

`make bench`, or `.venv/bin/python -m tests.benchmarks.trace_overhead [--quick]`. Bars of the project: at most 0.3 ms
for a function of two ops, with 5,000 signatures cached too; at most 2 % for the train step of MobileNetV2.

Small traces are recorded in blocks, as in use, where each trace follows recorded ones: a recorder that is attached and
taken off for each trace works in colder caches, with what Python has specialised lost. That is measured too, once.

Measured are calls, as in training: a trace and its first execution, beside which most of our work is done in another
thread; the call returns when both are over. And `get_concrete_function`, which executes nothing: all is done within it.
"""

from __future__ import annotations

import argparse
import gc
import runpy
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import keras
import tensorflow as tf

from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.session.recorder import Recorder
from tb_retrace_plugin.capture.watch import hook
from tests.benchmarks.own_work import OwnWork

Trace = Callable[[], None]


def two_ops(is_called: bool) -> Trace:
    """Each call traces once more: a Python number that was not there before."""
    count = 0

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * 2.0 + k

    x = tf.ones([4])

    def trace() -> None:
        nonlocal count
        count += 1
        (scaled if is_called else scaled.get_concrete_function)(x, count)

    return trace


def mobilenet(is_called: bool) -> Trace:
    model = keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10)
    optimizer = keras.optimizers.SGD(0.01)
    optimizer.build(model.trainable_variables)
    batch, step = 0, cast(Any, None)

    def make() -> Any:
        @tf.function
        def train_step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, model(x, training=True)))
            optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
            return loss

        return train_step

    def trace() -> None:
        nonlocal batch, step
        if batch % _GRAPHS_HELD == 0:
            step = make()
        batch += 1
        # no batch of one: the model's normalisation would divide by nothing
        arguments = tf.ones([batch + 1, 96, 96, 3]), tf.zeros([batch + 1], tf.int64)
        (step if is_called else step.get_concrete_function)(*arguments)

    return trace


#: Of MobileNetV2's step, before the function is made again: memory that the machine has to find is slow, whoever asks.
_GRAPHS_HELD = 8


#: Of a program of 4,000 lines, which are read for what the program keeps, and makes for each call.
_CLASSES = 220
_CLASS = """
class Settings{0}:
    def __init__(self, size, rate={0}.5):
        self.size = size
        self.rate = rate
        self.items = [size, rate, {0}]
    def total(self, scale):
        found = 0
        for item in self.items:
            if item > scale:
                found += item * scale
        return found + self.size
    def scaled(self, other):
        self.size = other.size * self.rate
        self.items.append(self.size)
        return self
"""
_PROGRAM = """
import tensorflow as tf

class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])

def make():
    @tf.function
    def step(net, x):
        return x * net.w + 1.0
    nets = []
    def trace():
        nets.append(Net())
        step(nets[-1], x)
    return trace

x = tf.ones([2])
"""


def in_a_long_file(directory: str) -> Trace:
    """Each call traces once more: another module that is passed."""
    program = Path(directory) / "long.py"
    program.write_text("".join(map(_CLASS.format, range(_CLASSES))) + _PROGRAM, "utf-8")
    return cast(Trace, runpy.run_path(str(program))["make"]())


class Times(list[tuple[float, float]]):
    """Milliseconds of each trace: on the wall's clock, and of this thread's own work."""


class Own(list[tuple[float, float]]):
    """Milliseconds of our own work in each recorded trace: in the thread that traces, and beside it."""


#: Of unrecorded traces, of recorded ones, and our own work in each recorded one.
Compared = tuple[Times, Times, Own]


own_work = OwnWork()


#: Traces of a function recorded in a row, and unrecorded in a row.
BLOCK = 16


def compare(
    plain_trace: Trace,
    recorded_trace: Trace,
    pairs: int,
    recorder: Recorder,
    block: int = BLOCK,
    collects: bool = False,
    cycle: int = 0,
) -> Compared:
    """Traces, unrecorded and recorded in turns of `block`.

    `cycle`: after so many turns the function is made again, and the order is turned around: how long a trace takes
    depends on how many there were of its function, by a tenth, and each place is to be both recorded and not.
    `collects`: Python's collector runs before each: in a large one it takes a tenth of a second, wherever it falls.
    """
    plain, recorded = Times(), Times()
    own = Own()
    for turn in range(2 * pairs // block):
        is_recorded = (turn + turn // 2 + (turn // cycle if cycle else 0)) % 2 == 1  # A B B A: a trend hits both alike
        if is_recorded:
            hook.add_listener(recorder)
        for _ in range(block):
            if collects:
                gc.collect()
            own_before = own_work.total, own_work.beside
            start, start_work = time.perf_counter(), time.thread_time()
            (recorded_trace if is_recorded else plain_trace)()
            times = (time.perf_counter() - start) * 1e3, (time.thread_time() - start_work) * 1e3
            (recorded if is_recorded else plain).append(times)
            if is_recorded:
                own.append((own_work.total - own_before[0], own_work.beside - own_before[1]))
        if is_recorded:
            hook.remove_listener(recorder)
    return plain, recorded, own


def report(name: str, plain: Times, recorded: Times, own: Own) -> None:
    for clock, index in (("wall", 0), ("work", 1)):
        before, after = (statistics.median(times[index] for times in values) for values in (plain, recorded))
        low, high = _spread([b[index] - a[index] for a, b in zip(plain, recorded, strict=True)])
        print(
            f"{name:<48} {clock}  plain {before:9.3f} ms  recorded {after:9.3f} ms  ratio {after / before:.3f}"
            f"  added {after - before:+8.3f} ms  (pairs, middle half: {low:+.3f} … {high:+.3f})",
            flush=True,
        )

    before = statistics.median(wall for wall, _ in plain)
    within, beside = ([times[index] for times in own] for index in (0, 1))
    text = f"{name:<48} in Retrace's own code"
    for what, values in (("", within), (", and beside it", beside)):
        median, (low, high) = statistics.median(values), _spread(values)
        if any(values):
            text += f"{what} {median:.3f} ms ({low:.3f} … {high:.3f}): {median / before:.1%} of a trace"
    print(text, flush=True)


def _spread(values: list[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles(values, n=4)
    return low, high


def small(quick: bool, log_dir: str, is_called: bool) -> None:
    how = "called" if is_called else "traced alone"
    parts: list[Compared] = [(Times(), Times(), Own()) for _ in range(3)]
    first, later, singly = parts
    for _ in range(3 if quick else 12):
        for block, measured in ((BLOCK, (first, later)), (1, (singly,))):
            recording = Recording(log_dir)  # a session stores 64 graphs of a function, then one in ten
            assert recording.recorder is not None
            traces = two_ops(is_called), two_ops(is_called)  # each pair with as many signatures cached
            for plain, recorded, own in measured:
                more = compare(*traces, 64, recording.recorder, block)
                plain += more[0]
                recorded += more[1]
                own += more[2]
            recording.close()
    report(f"two ops {how}, the first 64, graphs stored", *first)
    report(f"two ops {how}, the next 64", *later)
    report(f"two ops {how}, 64, attached for each", *singly)


def long_file(quick: bool, log_dir: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        recording = Recording(log_dir)
        assert recording.recorder is not None
        traces = in_a_long_file(directory), in_a_long_file(directory)
        plain, recorded, own = compare(*traces, BLOCK if quick else 4 * BLOCK, recording.recorder)
        recording.close()
    name = "two ops called, in a file of 4,000 lines"
    report(name, plain, recorded, own)
    slowest = max(within + beside for within, beside in own)
    print(f"{name:<48} in Retrace's own code, the slowest trace, for which the file is read: {slowest:.3f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few pairs of each")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as log_dir:
        recording = Recording(log_dir)
        recorder = recording.recorder
        assert recorder is not None
        compare(two_ops(True), two_ops(True), 3 * BLOCK, recorder)  # warm-up: AutoGraph, imports
        for is_called in (False, True):
            small(quick, log_dir, is_called)
        long_file(quick, log_dir)
        for is_called, how in ((False, "traced alone"), (True, "called")):  # the latter leaves gigabytes behind
            large = mobilenet(is_called)
            compare(large, large, _GRAPHS_HELD // 2, recorder, 1)
            measured = compare(large, large, 2 if quick else 32, recorder, 1, collects=True, cycle=_GRAPHS_HELD)
            report(f"MobileNetV2 train step {how}", *measured)
        if not quick:
            trace = two_ops(True)
            hook.add_listener(recorder)
            for _ in range(5000):
                trace()
            hook.remove_listener(recorder)
            report("two ops called, 5,000 signatures cached", *compare(trace, trace, 20 * BLOCK, recorder))
        recording.close()


if __name__ == "__main__":
    main()
