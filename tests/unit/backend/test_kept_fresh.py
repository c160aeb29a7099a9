from __future__ import annotations

import threading
import time

import pytest

from tb_retrace_plugin.backend.kept_fresh import KeptFresh


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_quick_is_made_each_time_and_its_errors_are_the_callers() -> None:
    kept: KeptFresh[int] = KeptFresh(10, Clock())
    assert [kept.get(lambda n=n: n) for n in range(3)] == [0, 1, 2]  # type: ignore[misc]
    with pytest.raises(ZeroDivisionError):
        kept.get(lambda: 1 // 0)


def test_what_is_slow_is_kept_and_made_anew_beside_the_request() -> None:
    clock = Clock()
    kept: KeptFresh[str] = KeptFresh(10, clock)

    def slow() -> str:
        clock.now += 1
        return "first"

    def unused() -> str:
        raise AssertionError("made although the last one is fresh")

    go, done = threading.Event(), threading.Event()

    def second() -> str:
        assert go.wait(60)
        done.set()
        return "second"

    assert kept.get(slow) == "first"
    assert kept.get(unused) == "first"
    clock.now += 10
    assert kept.get(second) == "first"
    clock.now += 100
    assert kept.get(unused) == "first"  # one at a time
    go.set()
    assert done.wait(60)
    for _ in range(6000):
        if kept.get(lambda: "third") != "first":
            return
        time.sleep(0.01)
    raise AssertionError("the second one never came")


def test_a_slow_value_survives_a_failure_to_make_it_anew() -> None:
    clock = Clock()
    kept: KeptFresh[str] = KeptFresh(10, clock)
    failed = threading.Event()

    def slow() -> str:
        clock.now += 1
        return "first"

    def fail() -> str:
        failed.set()
        raise OSError("gone")

    assert kept.get(slow) == "first"
    clock.now += 10
    assert kept.get(fail) == "first"
    assert failed.wait(60)
    assert kept.get(fail) == "first"
