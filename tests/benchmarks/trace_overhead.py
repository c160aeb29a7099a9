"""What recording adds to a trace: recorded and unrecorded traces side by side in one run.

`make bench`, or `.venv/bin/python tests/benchmarks/trace_overhead.py [--quick]`. Bars of the project: at most 0.3 ms
for a function of two ops, with 5,000 signatures cached too; at most 2 % for the train step of MobileNetV2.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf

from tb_retrace_plugin.capture import hook
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.recorder import Recorder

Trace = Callable[[], None]


def two_ops() -> Trace:
    """Each call traces once more: a Python number that was not there before."""
    count = 0

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * 2.0 + k

    x = tf.ones([4])

    def trace() -> None:
        nonlocal count
        count += 1
        scaled.get_concrete_function(x, count)

    return trace


def mobilenet() -> Trace:
    model = keras.applications.MobileNetV2((96, 96, 3), weights=None, classes=10)
    optimizer = keras.optimizers.SGD(0.01)
    optimizer.build(model.trainable_variables)
    batch = 0

    @tf.function
    def train_step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, model(x, training=True)))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    def trace() -> None:
        nonlocal batch
        batch += 1
        spec = tf.TensorSpec([batch, 96, 96, 3]), tf.TensorSpec([batch], tf.int64)
        train_step.get_concrete_function(*spec)

    return trace


def compare(trace: Trace, pairs: int, recorder: Recorder) -> tuple[list[float], list[float]]:
    """Milliseconds of each trace, unrecorded and recorded in turns."""
    plain: list[float] = []
    recorded: list[float] = []
    for index in range(2 * pairs):
        is_recorded = (index + index // 2) % 2 == 1  # A B B A: a trend hits both alike
        if is_recorded:
            hook.add_listener(recorder)
        start = time.perf_counter()
        trace()
        (recorded if is_recorded else plain).append((time.perf_counter() - start) * 1e3)
        if is_recorded:
            hook.remove_listener(recorder)
    return plain, recorded


def report(name: str, plain: list[float], recorded: list[float]) -> None:
    before, after = statistics.median(plain), statistics.median(recorded)
    low_before, low_after = (statistics.quantiles(values, n=10)[0] for values in (plain, recorded))
    print(
        f"{name:<38} plain {before:8.3f} ms  recorded {after:8.3f} ms  ratio {after / before:.3f}"
        f"  added {after - before:+.3f} ms"
        f"  (lowest tenth: {low_before:.3f}, {low_after:.3f}, {low_after - low_before:+.3f} ms)",
        flush=True,
    )


def main(quick: bool) -> None:
    with tempfile.TemporaryDirectory() as log_dir:
        recording = Recording(log_dir)
        recorder = recording.recorder
        assert recorder is not None
        compare(two_ops(), 50, recorder)  # warm-up: AutoGraph, imports
        plain: list[float] = []
        recorded: list[float] = []
        for _ in range(3 if quick else 10):  # TensorFlow's own cost of a trace rises with the signatures it holds
            results = compare(two_ops(), 100, recorder)
            plain += results[0]
            recorded += results[1]
        report("two ops", plain, recorded)
        if not quick:
            trace = two_ops()
            hook.add_listener(recorder)
            for _ in range(5000):
                trace()
            hook.remove_listener(recorder)
            report("two ops, 5,000 signatures cached", *compare(trace, 300, recorder))
        large = mobilenet()
        compare(large, 1, recorder)
        report("MobileNetV2 train step", *compare(large, 2 if quick else 8, recorder))
        recording.close()


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
