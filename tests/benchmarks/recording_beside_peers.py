"""Training with retraces: without a recorder, with Retrace, and with what users would use instead, in turns in one run.

`make bench`, or `.venv/bin/python -m tests.benchmarks.recording_beside_peers [--pairs 10] [--only NAME] [--quick]`.

Each program is run anew (its tf.functions made again, its model kept) without a recorder, then with each tool, in an
order that turns by one from round to round; a ratio is the median over rounds of its time by that round's time without.
Retrace takes part in every round, the peers, whose cost needs no third digit, in every third of `--pairs` rounds. One
pair spreads by 2 to 5 % on a busy machine: programs that are to be told to 1 % take more, and
`--alone` tells these without the peers. 5,000 signatures take long:
three rounds, each peer once, no memory. Then the models' traces are told one by one, each recorded and not with the
steps that follow, which tells to half a percent what pairs of whole programs tell to two: there the recorder is
attached for each trace, and its start and end, 0.3 ms, are in none. Last, what no other clock can blur: the
processor's time in Retrace's own code, as a part of the program's time. Python's collector runs before each run and
not in it.

The peers: `tf.summary.trace_on(graph=True)` and `trace_export` around each call that traces; Debugger V2
(`enable_dump_debug_info`, NO_TENSOR); `tf.profiler`, started and stopped. Bytes are those of the last run's directory,
by trace: by outermost trace; the raw GraphDef is theirs, as `as_graph_def(add_shapes=True)` serializes it. Memory is
the peak of a process of its own that runs the program once.

Bars of the project: Retrace with graphs at most 1.01 on the conv net, MobileNetV2 and the transformer, at most 1.10 on
functions of two ops; disk at most 1/20 of trace_export's and 1/80 of Debugger V2's.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import gc
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.watch import hook
from tests.benchmarks.own_work import OwnWork

#: Runs a program once; what it is given wraps each call that traces anew: a step's number -> a context manager.
Around = Callable[[int], contextlib.AbstractContextManager[Any]]
Program = Callable[[Around], None]


def train_step_of(model: Any, loss: Any) -> Callable[[], Any]:
    """Makes the train step anew; the optimizer and the weights stay."""
    optimizer = keras.optimizers.SGD(0.01)
    optimizer.build(model.trainable_variables)

    def make() -> Any:
        @tf.function
        def train_step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                value = tf.reduce_mean(loss(y, model(x, training=True)))
            optimizer.apply(tape.gradient(value, model.trainable_variables), model.trainable_variables)
            return value

        return train_step

    return make


@dataclasses.dataclass(frozen=True)
class Retraced:
    """A trace for each batch, and `steps` more calls of it."""

    make: Callable[[], Any]
    batches: list[tuple[Any, Any]]
    steps: int

    def __call__(self, around: Around) -> None:
        train_step = self.make()
        for number, batch in enumerate(self.batches):
            self.run_one(train_step, batch, around(number))

    def run_one(self, train_step: Any, batch: tuple[Any, Any], around: contextlib.AbstractContextManager[Any]) -> None:
        with around:
            train_step(*batch)
        for _ in range(self.steps):
            train_step(*batch)


def conv_net() -> Retraced:
    model = keras.Sequential(
        [
            keras.layers.Input((28, 28, 1)),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    batches = [(tf.ones([size, 28, 28, 1]), tf.zeros([size], tf.int64)) for size in range(16, 24)]
    return Retraced(train_step_of(model, keras.losses.sparse_categorical_crossentropy), batches, steps=20)


def mobilenet() -> Retraced:
    model = keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10)
    batches = [(tf.ones([size, 96, 96, 3]), tf.zeros([size], tf.int64)) for size in (2, 3)]
    return Retraced(train_step_of(model, keras.losses.sparse_categorical_crossentropy), batches, steps=3)


def transformer() -> Retraced:
    tokens = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(1000, 64)(tokens)
    for _ in range(4):
        attended = keras.layers.MultiHeadAttention(4, 16)(x, x)
        x = keras.layers.LayerNormalization()(x + attended)
        x = keras.layers.LayerNormalization()(x + keras.layers.Dense(64)(keras.layers.Dense(256, "relu")(x)))
    model = keras.Model(tokens, keras.layers.Dense(1000, "softmax")(x))
    batches = [(tf.ones([4, length], tf.int32), tf.zeros([4, length], tf.int64)) for length in (16, 24, 32, 40)]
    return Retraced(train_step_of(model, keras.losses.sparse_categorical_crossentropy), batches, steps=10)


def two_ops(traces: int) -> Program:
    """One function, with as many Python numbers."""
    x = tf.ones([4])

    def program(around: Around) -> None:
        @tf.function
        def scaled(value: Any, k: int) -> Any:
            return value * 2.0 + k

        for k in range(traces):
            with around(k):
                scaled(x, k)

    return program


def keras_fit() -> Program:
    x, y = np.ones([500, 20], np.float32), np.ones([500, 1], np.float32)

    def program(around: Around) -> None:
        for number in range(3):  # as in a search for hyperparameters
            model = keras.Sequential([keras.layers.Input((20,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            with around(number):
                model.fit(x, y, batch_size=32, epochs=3, verbose=0)

    return program


PROGRAMS: dict[str, Callable[[], Program]] = {
    "conv net, 8 traces": conv_net,
    "MobileNetV2, 2 traces": mobilenet,
    "transformer, 4 traces": transformer,
    "two ops, 200 traces": lambda: two_ops(200),
    "two ops, 5,000 signatures": lambda: two_ops(5000),
    "Keras fit, 3 models": keras_fit,
}
#: Programs that are to be told to 1 %: rounds for each of `--pairs`.
MORE = {"conv net, 8 traces": 4, "transformer, 4 traces": 2, "two ops, 200 traces": 2}  # MobileNetV2's take gigabytes
#: Programs that take long: rounds at most.
ROUNDS = {"two ops, 5,000 signatures": 3}
PEERS_EVERY = 3
#: Runs in which Retrace's own work is told.
OWN_ROUNDS = 5
#: Rounds in which each trace is told by itself.
TRACE_BY_TRACE = {"conv net, 8 traces": 40, "MobileNetV2, 2 traces": 10, "transformer, 4 traces": 20}


def plain(_: int) -> contextlib.AbstractContextManager[Any]:
    return contextlib.nullcontext()


def run_without(program: Program, _: Path) -> None:
    program(plain)


def run_retrace(program: Program, directory: Path) -> None:
    with record(directory):
        program(plain)


def run_trace_export(program: Program, directory: Path) -> None:
    writer = tf.summary.create_file_writer(str(directory))

    @contextlib.contextmanager
    def around(number: int) -> Iterator[None]:
        tf.summary.trace_on(graph=True)
        yield
        with writer.as_default():
            tf.summary.trace_export("trace", step=number)

    program(around)
    writer.close()


def run_debugger(program: Program, directory: Path) -> None:
    writer = tf.debugging.experimental.enable_dump_debug_info(str(directory), tensor_debug_mode="NO_TENSOR")
    try:
        program(plain)
        writer.FlushNonExecutionFiles()
        writer.FlushExecutionFiles()
    finally:
        tf.debugging.experimental.disable_dump_debug_info()


def run_profiler(program: Program, directory: Path) -> None:
    tf.profiler.experimental.start(str(directory))
    try:
        program(plain)
    finally:
        tf.profiler.experimental.stop()


WITHOUT = "without"
TOOLS: dict[str, Callable[[Program, Path], None]] = {
    WITHOUT: run_without,
    "Retrace": run_retrace,
    "trace_export": run_trace_export,
    "Debugger V2": run_debugger,
    "tf.profiler": run_profiler,
}


def bytes_below(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def timed(tool: str, program: Program, directory: Path) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        TOOLS[tool](program, directory)
        return time.perf_counter() - start
    finally:
        gc.enable()


class _Outermost:
    """A listener that adds up the outermost traces and their GraphDefs."""

    def __init__(self) -> None:
        self.traces = self.bytes = 0

    def trace_ended(self, o: Any) -> None:
        if o.parent is None and o.result is not None:
            self.traces += 1
            self.bytes += o.result.graph.as_graph_def(add_shapes=True).ByteSize()

    def trace_started(self, o: Any) -> None: ...
    def lost(self, what: str, count: int = 1) -> None: ...
    def first_call_began(self, *_: Any) -> None: ...
    def first_call_ended(self, *_: Any) -> None: ...
    def xla_compiled(self, *_: Any) -> None: ...


def outermost_traces(program: Program) -> tuple[int, int]:
    """How many, and bytes of their GraphDefs."""
    listener = _Outermost()
    hook.add_listener(listener)
    try:
        program(plain)
    finally:
        hook.remove_listener(listener)
    return listener.traces, listener.bytes


def compare(name: str, pairs: int) -> None:
    program = PROGRAMS[name]()
    ratios: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    floor: list[float] = []
    size: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as root:
        if name not in ROUNDS:
            for tool in TOOLS:  # warm-up: imports, AutoGraph, allocators
                timed(tool, program, Path(root) / f"warm {tool}")
        more = 1 if pairs == 1 else MORE.get(name, 1)
        for number in range(min(pairs * more, ROUNDS.get(name, pairs * more))):
            tools = list(TOOLS) if number % (PEERS_EVERY * more) == 0 else [WITHOUT, "Retrace"]
            seconds = {}
            for tool in tools[number % len(tools) :] + tools[: number % len(tools)]:
                directory = Path(root) / f"{tool} {number}"
                seconds[tool] = timed(tool, program, directory)
                size[tool] = bytes_below(directory) if directory.exists() else 0
                shutil.rmtree(directory, ignore_errors=True)
            floor.append(seconds[WITHOUT])
            for tool in tools:
                ratios[tool].append(seconds[tool] / seconds[WITHOUT])
    traces, raw = outermost_traces(program)
    memory = {} if name in ROUNDS else {tool: peak_memory(name, tool) for tool in TOOLS}
    peak = f", peak {memory[WITHOUT] / 2**20:,.0f} MiB" if memory else ""
    print(
        f"{name}: {statistics.median(floor):.2f} s without a recorder{peak};"
        f" raw GraphDef {raw / traces:,.0f} bytes a trace ({traces:,} outermost)"
    )
    for tool in list(TOOLS)[1:]:
        added = f" memory {(memory[tool] - memory[WITHOUT]) / 2**20:+8,.1f} MiB" if memory else ""
        disk = "" if tool == "Retrace" else f", Retrace 1/{size[tool] / size['Retrace']:.1f}"
        print(
            f"  {tool:<13} time × {spread(ratios[tool]):<40} disk {size[tool]:>13,} bytes"
            f" = {size[tool] / traces:>9,.0f} a trace, {size[tool] / raw:7.3f} × GraphDef{disk:<18}{added}",
            flush=True,
        )
    if name in TRACE_BY_TRACE and isinstance(program, Retraced):
        compare_trace_by_trace(program, TRACE_BY_TRACE[name] if pairs > 1 else 1)
    if name not in ROUNDS:
        tell_own_work(program, statistics.median(floor))


def compare_alone(name: str, pairs: int) -> None:
    """Retrace by itself, in as many pairs: the peers leave memory behind, and take most of the time."""
    program = PROGRAMS[name]()
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as root:
        for number in range(-1, pairs * MORE.get(name, 1)):  # the first is to warm up
            seconds = {}
            for tool in (WITHOUT, "Retrace") if number % 2 else ("Retrace", WITHOUT):
                directory = Path(root) / f"{tool} {number}"
                seconds[tool] = timed(tool, program, directory)
                shutil.rmtree(directory, ignore_errors=True)
            if number >= 0:
                ratios.append(seconds["Retrace"] / seconds[WITHOUT])
    low, high = told_to(ratios)
    print(f"{name}: Retrace time × {spread(ratios)}; the median lies in {low} … {high} (9 of 10 times)", flush=True)


def tell_own_work(program: Program, seconds: float) -> None:
    """`seconds`: of the program without a recorder."""
    own = own_work()
    times = []
    with tempfile.TemporaryDirectory() as root:
        for number in range(OWN_ROUNDS):
            before = own.total, own.beside, own.ends
            timed("Retrace", program, Path(root) / str(number))
            times.append((own.total - before[0], own.beside - before[1], own.ends - before[2]))
    within, beside, ends = (statistics.median(milliseconds) for milliseconds in zip(*times, strict=True))
    print(
        f"  Retrace       in its own code {within:.1f} ms of the program's thread = {within / seconds / 10:.2f} %, in a"
        f" thread beside its executions {beside:.1f} ms = {beside / seconds / 10:.2f} %; start and end {ends:.1f} ms",
        flush=True,
    )


@functools.cache
def own_work() -> OwnWork:
    """Made after everything else has been measured of the first program: it takes a microsecond a call."""
    return OwnWork()


def compare_trace_by_trace(program: Retraced, rounds: int) -> None:
    """Each trace with the steps that follow it, recorded and not, one after the other: a slow minute hits both."""
    ratios, seconds = [], []
    with tempfile.TemporaryDirectory() as root:
        for number in range(-1, rounds):  # the first warms up
            recording = Recording(root)
            train_steps = program.make(), program.make()
            gc.collect()
            gc.disable()
            for place, batch in enumerate(program.batches):
                took = [0.0, 0.0]
                first = (number + place) % 2
                for recorded in (first, 1 - first):
                    if recorded and recording.recorder is not None:
                        hook.add_listener(recording.recorder)
                    start = time.perf_counter()
                    program.run_one(train_steps[recorded], batch, plain(place))
                    took[recorded] = time.perf_counter() - start
                    if recorded and recording.recorder is not None:
                        hook.remove_listener(recording.recorder)
                if number >= 0:
                    ratios.append(took[1] / took[0])
                    seconds.append(took[0])
            gc.enable()
            recording.close()
    print(
        f"  Retrace       time × {spread(ratios):<40} trace by trace, with the steps that follow:"
        f" {statistics.median(seconds):.3f} s each; the median lies in {' … '.join(told_to(ratios))} (9 of 10 times)",
        flush=True,
    )


def told_to(ratios: list[float]) -> tuple[str, str]:
    """Where the median of as many pairs lies in 90 of 100 draws from these."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(400))
    return f"{medians[20]:.3f}", f"{medians[379]:.3f}"


def spread(ratios: list[float]) -> str:
    """The median and the middle half; of few, all of it."""
    if len(ratios) < 4:
        return f"{statistics.median(ratios):6.3f} ({min(ratios):.3f} … {max(ratios):.3f}, {len(ratios)} pairs)"
    low, middle, high = statistics.quantiles(ratios, n=4)
    return f"{middle:6.3f} (half {low:.3f} … {high:.3f}, {len(ratios)} pairs)"


def peak_memory(name: str, tool: str) -> int:
    """Bytes; of a process of its own that runs the program once."""
    command = [sys.executable, "-m", "tests.benchmarks.recording_beside_peers", "--memory", json.dumps([name, tool])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="one round of each but the 5,000 signatures")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--alone", action="store_true", help="Retrace in pairs, and nothing else")
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        name, tool = json.loads(options.memory)
        with tempfile.TemporaryDirectory() as directory:
            TOOLS[tool](PROGRAMS[name](), Path(directory) / "log")
        status = Path("/proc/self/status").read_text("ascii")  # `getrusage` counts the parent of before `exec` in
        print(int(status.split("VmHWM:")[1].split()[0]) * 1024)
        return
    for name in PROGRAMS:
        if options.only in name and not (options.quick and name in ROUNDS):
            (compare_alone if options.alone else compare)(name, 1 if options.quick else options.pairs)


if __name__ == "__main__":
    main()
