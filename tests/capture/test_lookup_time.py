"""The lookup before a trace: repeated rarely, and changing nothing."""

from __future__ import annotations

import gc
import time
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.watch import hook
from tb_retrace_plugin.capture.watch.lookup_time import LookupTimes
from tests.capture.conftest import RecordFixture


class WeakDictionary(dict[Any, Any]):
    """As a function cache has one, it can be weakly referenced."""


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many signatures the cache held whenever a lookup was repeated."""
    found: list[int] = []
    look_up = tf_seam.look_up

    def counted(function_cache: Any, lookup: tf_seam.Lookup) -> None:
        found.append(len(function_cache))
        look_up(function_cache, lookup)

    monkeypatch.setattr(tf_seam, "look_up", counted)
    return found


def test_it_is_timed_each_time_that_the_cache_has_doubled(recording: RecordFixture, looked_up: list[int]) -> None:
    @tf.function
    def scale(x: Any, k: Any) -> Any:
        return x * k

    x = tf.ones([2])
    with recording() as recorded:
        for k in range(130):
            scale(x, k)
            scale(x, k)
    traces = recorded.of("scale")
    assert scale.experimental_get_tracing_count() == len(traces) == 130
    assert sorted(set(looked_up)) == [64, 128]
    assert len(looked_up) <= 4
    assert [trace.lookup_duration_ns > 0 for trace in traces] == [n >= 64 for n in range(130)]
    for trace in traces[64:128]:  # in proportion to the signatures
        expected = traces[64].lookup_duration_ns * trace.cached_before // 64
        assert trace.lookup_duration_ns <= expected + 1  # less where no such time has passed


def test_it_is_no_longer_than_what_has_passed_since_the_trace_before(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In between it is estimated, by what another process may have made slow."""
    monkeypatch.setattr(LookupTimes, "nanoseconds", lambda *_: 10**15)

    @tf.function
    def scale(x: Any, k: Any) -> Any:
        return x * k

    x = tf.ones([2])
    with recording() as recorded:
        began = time.perf_counter_ns()
        for k in range(80):
            scale(x, k)
        took = time.perf_counter_ns() - began
    traces = recorded.of("scale")
    assert all(trace.lookup_duration_ns for trace in traces[64:])
    assert sum(trace.lookup_duration_ns + trace.trace_duration_ns for trace in traces) <= took


@pytest.mark.parametrize(("power", "told"), [(0.5, 1.0), (1.0, 1.0), (1.7, 1.7), (3.0, 2.0)])
def test_in_between_it_grows_as_between_the_last_two(
    monkeypatch: pytest.MonkeyPatch, power: float, told: float
) -> None:
    took = 0

    class Cache:
        def lookup(self, *_: Any) -> None:
            nonlocal now
            now += took

    now = 0
    monkeypatch.setattr("time.perf_counter_ns", lambda: now)
    times, owner = LookupTimes(), WeakDictionary()
    options = SimpleNamespace(function_cache=Cache())
    options.function_cache._primary = owner
    found = []
    for signatures in range(64, 256):
        took = int(1e6 * (signatures / 64) ** power)
        found.append(times.nanoseconds(options, tf_seam.Lookup(None, None), signatures))
    assert found[0] == 10**6
    assert found[64] == int(1e6 * 2**power)
    for signatures in (65, 100, 127):
        assert found[signatures - 64] == pytest.approx(1e6 * signatures / 64, rel=1e-5)
    for signatures in (129, 200, 255):
        assert found[signatures - 64] == pytest.approx(1e6 * 2**power * (signatures / 128) ** told, rel=1e-5)


def test_it_changes_neither_what_is_traced_nor_how_often(recording: RecordFixture, looked_up: list[int]) -> None:
    def total(x: Any, k: Any) -> Any:
        return tf.reduce_sum(x) * k

    def counts() -> list[int]:
        function = tf.function(total, reduce_retracing=True)
        found = []
        for k in range(68):
            for length in (1, 2, 3):
                function(tf.ones([length]), float(k))
            found.append(function.experimental_get_tracing_count())
        return found

    with recording() as recorded:
        recorded_counts = counts()
    assert looked_up
    assert recorded.count("total") == recorded_counts[-1]
    assert counts() == recorded_counts


def test_of_a_nested_trace_it_is_in_the_time_of_the_one_around_it(
    recording: RecordFixture, looked_up: list[int]
) -> None:
    @tf.function
    def inner(x: Any, k: Any) -> Any:
        return x * k

    @tf.function
    def outer(x: Any) -> Any:
        results = [inner(x, k) for k in range(70)]
        return results[-1]

    with recording() as recorded:
        outer(tf.ones([2]))
    assert len(recorded.of("inner")) == 70
    assert not any(trace.lookup_duration_ns for trace in recorded.traces)
    assert looked_up == []


def test_where_it_fails_the_trace_is_recorded_and_the_loss_counted(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise AttributeError("another FunctionCache")

    monkeypatch.setattr(tf_seam, "look_up", fail)
    function = tf.function(lambda x, k: x * k)
    with recording(may_lose=True) as recorded:
        for k in range(66):
            function(tf.ones([2]), k)
    assert len(recorded.traces) == 66
    assert not any(trace.lookup_duration_ns for trace in recorded.traces)
    assert recorded.losses == {"lookups_not_timed": 2}


def test_it_keeps_no_function_alive(recording: RecordFixture, looked_up: list[int]) -> None:
    function = tf.function(lambda x, k: x * k)
    with recording():
        for k in range(65):
            function(tf.ones([2]), k)
    assert looked_up
    before = len(hook._lookup_times._measured)
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None
    assert len(hook._lookup_times._measured) == before - 1
