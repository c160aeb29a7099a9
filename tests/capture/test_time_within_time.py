"""Time that is spent within other time is counted once: all parts together take no longer than the call they are of.

Sleeps make what might be counted twice longer than what is counted by nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.watch import under_way
from tests.capture.conftest import RecordFixture


def elapsed_ns(call: Callable[[], object]) -> int:
    start = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - start


def test_a_trace_within_a_first_execution(recording: RecordFixture) -> None:
    @tf.function
    def within(x: Any) -> Any:
        time.sleep(0.8)
        return x + 1.0

    @tf.function
    def around(x: Any) -> Any:
        def host(v: Any) -> Any:
            time.sleep(0.2)
            return within(v)

        return tf.py_function(host, [x], tf.float32)

    with recording() as r:
        before = list(under_way._calls)
        whole = elapsed_ns(lambda: around(tf.constant(1.0)))
    ((first,), (nested,)) = r.of("around"), r.of("within")
    assert not nested.nested  # the graph of `around` was finished
    assert nested.trace_duration_ns >= 0.8e9
    assert r.first_calls[first.seq].duration_ns >= 0.2e9
    parts = [t.trace_duration_ns + r.first_calls[t.seq].duration_ns for t in (first, nested)]
    assert sum(parts) <= whole
    assert under_way._calls == before


def test_a_first_execution_within_a_first_execution(recording: RecordFixture) -> None:
    def pause(v: Any) -> Any:
        time.sleep(0.8)
        return v

    @tf.function
    def within(x: Any) -> Any:
        return tf.py_function(pause, [x], tf.float32)

    @tf.function
    def around(x: Any) -> Any:
        return tf.py_function(within, [x], tf.float32)

    with recording() as r:
        within.get_concrete_function(tf.constant(1.0))
        whole = elapsed_ns(lambda: around(tf.constant(1.0)))
    ((outer,), (inner,)) = r.of("around"), r.of("within")
    calls = [r.first_calls[trace.seq].duration_ns for trace in (outer, inner)]
    assert calls[1] >= 0.8e9
    assert sum(calls) + outer.trace_duration_ns <= whole


def test_a_first_execution_within_a_trace(recording: RecordFixture) -> None:
    def pause() -> float:
        time.sleep(0.8)
        return 2.0

    @tf.function
    def table() -> Any:
        return tf.py_function(pause, [], tf.float32)

    @tf.function
    def scaled(x: Any) -> Any:
        with tf.init_scope():
            factor = table()
        return x * factor

    with recording() as r:
        whole = elapsed_ns(lambda: scaled(tf.constant(1.0)))
    ((outer,), (inner,)) = r.of("scaled"), r.of("table")
    assert r.first_calls[inner.seq].duration_ns >= 0.8e9
    assert outer.trace_duration_ns + r.first_calls[inner.seq].duration_ns <= whole


def test_a_call_that_fails_leaves_nothing(recording: RecordFixture) -> None:
    @tf.function
    def fails(x: Any) -> Any:
        tf.debugging.assert_less(x, 0.0)
        return x

    before = list(under_way._calls)
    with recording(), pytest.raises(tf.errors.InvalidArgumentError):
        fails(tf.constant(1.0))
    assert under_way._calls == before


def test_a_trace_in_a_thread_of_a_strategy(recording: RecordFixture) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function
    def within(x: Any) -> Any:
        time.sleep(0.8)
        return x + 1.0

    @tf.function
    def around(x: Any) -> Any:
        return strategy.run(lambda v: within(v), args=(x,))

    with recording() as r:
        around(tf.constant(1.0))
    ((outer,), (inner,)) = r.of("around"), r.of("within")
    assert inner.parent_seq == outer.seq
    assert 0.8e9 <= inner.trace_duration_ns <= outer.nested_duration_ns < outer.trace_duration_ns


def test_a_call_whose_end_is_never_told_goes_with_it() -> None:
    before = len(under_way._calls)
    outer, within = under_way.TimedCall(), under_way.TimedCall()
    assert len(under_way._calls) == before + 2
    del within
    assert len(under_way._calls) == before + 1
    outer.end()
    assert len(under_way._calls) == before
