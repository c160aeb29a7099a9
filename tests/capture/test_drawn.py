"""What is another one in each trace by itself. None of it is run by us: what a program draws is its own."""

from __future__ import annotations

import datetime
import itertools
import logging
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.python_state.drawn import _generators, drawn_by
from tests.capture.conftest import RecordFixture

rng = np.random.default_rng(0)
batches = itertools.count()
calls = used = 0
numbers = [1, 2]
durations: list[float] = []


def helper() -> float:
    return random.random()


class Agent:
    def __init__(self) -> None:
        self.rng, self.updates, self.traces, self.built = np.random.RandomState(0), 0, 0, False
        self.took, self.size = 0.0, 1

    def draw(self) -> Any:
        return self.rng.uniform()


def reads(self: Agent) -> Any:
    """Draws nothing."""
    global calls
    calls += 1  # that it was traced, and no more
    self.traces += 1
    if not self.built:
        self.built = True
    np.random.seed(0)
    print("traced at", time.time())
    started = time.perf_counter()
    again, _unused = time.time(), time.time_ns()
    self.took += time.perf_counter() - started
    durations.append(time.time() - again)
    took = round(time.time() - again, 1)
    if took > 1:
        logging.getLogger().info("slow")
    self.size = 2
    return random.Random(0).random() + np.random.default_rng(0).normal() + iter(numbers).__next__() * self.size


def draws(self: Agent) -> Any:
    return np.random.normal() + rng.normal() + next(batches) + time.time() + datetime.datetime.now().second


def times(self: Agent) -> Any:
    started = time.time()
    if started:
        self.size = 2
    self.took = time.monotonic() - started
    return self.took * (self.size - time.perf_counter())


def counts(self: Agent) -> Any:
    global used
    used += 1
    self.updates += 1
    return used * self.updates


def grows(self: Any, given: Any) -> Any:
    """Lists of its own, or that it begins anew, are as long each time."""
    local: list[int] = []
    self.outs = []
    for each in (local, given):
        each.append(1)
    local.append(1)
    given.append(1)
    self.outs.append(1)
    self.only_kept.append(1)
    self.seen.append(1)
    numbers.append(3)
    self.within.append(2)
    self.seen.append(self.within[-1] + len(self.within))
    self.within.pop()
    self.frames.append(2)
    self.frames.pop(0)
    return len(self.seen) + sum(self.outs) + sum(local) + sum(given) + numbers[-1] + self.queue.pop(0)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (grows, ["self.seen", "numbers", "self.queue.pop()", "self.frames.pop()"]),
        (reads, []),
        (draws, ["np.random.normal()", "rng.normal()", "batches", "time.time()", "datetime.datetime.now()"]),
        (times, ["self.size", "time.time()", "time.monotonic()", "time.perf_counter()"]),
        (counts, ["used", "self.updates"]),
        (lambda self: helper() + self.draw(), ["random.random()", "self.rng.uniform()"]),
        (len, []),
    ],
)
def test_what_is_drawn(function: Callable[..., Any], expected: list[str]) -> None:
    before = rng.bit_generator.state, random.getstate(), repr(batches)
    assert sorted(drawn_by(function, Agent())) == sorted(expected)
    assert (rng.bit_generator.state, random.getstate(), repr(batches)) == before


def sometimes(self: Agent) -> Any:
    return np.random.normal() if self.built else random.random()


def of_an_argument(agent: Agent) -> Any:
    if agent.updates > 0:
        agent.last = np.random.normal()
    return random.random()


def test_what_is_drawn_where_it_comes_to_it() -> None:
    """Of the code it is told wherever it is drawn: another trace may come to it."""
    agent, both = Agent(), ["np.random.normal()", "random.random()"]
    for function, instance, arguments in (sometimes, agent, {}), (of_an_argument, None, {"agent": agent}):
        assert sorted(drawn_by(function, instance, arguments)) == both
        assert drawn_by(function, instance, arguments, now=True) == both[1:]


def test_it_is_recorded_of_each_trace(recording: RecordFixture) -> None:
    @tf.function
    def noisy(x: Any) -> Any:
        return x + np.random.normal()

    with recording() as r:
        for length in (1, 2):
            noisy(tf.ones([length]))
    assert [list(trace.function.drawn) for trace in r.traces if trace.function.name == "noisy"] == [
        ["np.random.normal()"]
    ] * 2


def test_a_tensor_that_it_goes_on_from(recording: RecordFixture) -> None:
    """An attribute holds the first trace's own tensor then, and no call that it serves goes on from another one."""

    class Solver:
        def __init__(self) -> None:
            self.x, self.h, self.kept, self.out = tf.zeros([2]), None, None, None

        @tf.function
        def step(self, dx: Any) -> Any:
            if self.h is None:
                self.h = tf.zeros([2])
            if self.kept is None:  # each call makes it
                self.kept = tf.ones([2]) * dx
            self.out = dx * self.kept
            for _ in range(2):
                moved, self.h = self.x + self.out, self.h + dx
                self.x = moved
            return self.x

    with recording() as r:
        solver = Solver()
        for _ in range(2):
            solver.step(tf.ones([2]))
    assert [sorted(trace.function.drawn) for trace in r.traces] == [["self.h", "self.x"]]


@pytest.mark.parametrize("decorated", [tf.numpy_function, tf.py_function])
def test_what_runs_with_the_graph_is_neither_drawn_nor_stale(decorated: Any, recording: RecordFixture) -> None:
    """The tutorial on actors and critics steps its environment so."""
    agent = Agent()

    @decorated(Tout=tf.float64)
    def environment(x: Any) -> Any:
        agent.updates += 1
        return x * agent.traces + agent.rng.uniform() * agent.updates

    @tf.function
    def episode(x: Any, rate: float) -> Any:
        return environment(x) * rate

    with recording() as r:
        for rate in (1.0, 2.0):
            episode(tf.ones([2], tf.float64), rate)
        agent.traces = 7
        episode(tf.ones([2], tf.float64), 2.0)
    assert [list(trace.function.drawn) for trace in r.traces if trace.function.name == "episode"] == [[], []]
    assert r.stale == []


def test_where_it_fails_the_trace_is_recorded_and_the_loss_counted(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> list[str]:
        raise ValueError("an instruction that nobody knows")

    monkeypatch.setattr("tb_retrace_plugin.capture.record.describe.drawn_by", fail)
    function = tf.function(lambda x: x + np.random.normal())
    with recording(may_lose=True) as r:
        for length in (1, 2):
            function(tf.ones([length]))
    assert [list(trace.function.drawn) for trace in r.traces] == [[], []]
    assert r.losses == {"draws_not_read": 1}


def test_what_is_drawn_of_an_argument(recording: RecordFixture) -> None:
    noisy = tf.function(lambda x, generator: x + generator.random())
    with recording() as r:
        noisy(tf.ones([]), random.Random(0))
        noisy(tf.ones([]), np.random.default_rng(0))  # which has no weak references
    assert [list(trace.function.drawn) for trace in r.traces] == [["generator.random()"]] * 2


def test_other_tensors_from_around(recording: RecordFixture) -> None:
    class State:
        hidden = tf.zeros([2])

    state, same = State(), tf.ones([2])

    @tf.function
    def cell(x: Any, held: Any, rate: float) -> Any:
        return (x + held.hidden) * rate + same + tf.constant([rate, 1.0])

    with recording() as r:
        for number in range(3):
            cell(same, state, 0.1 * number)
        state.hidden = tf.ones([2])
        cell(same, state, 1.0)
        other = State()
        other.hidden = tf.ones([2])
        cell(same, other, 1.0)  # of the other object's doing
    assert [trace.other_tensors for trace in r.traces] == [False, False, False, True, False]


def test_a_class_whose_module_is_no_text(recording: RecordFixture) -> None:
    """As one of `typing` has it in Python 3.10."""

    class Odd:
        scale = 2.0

    Odd.__module__ = property(lambda _: "odd")  # type: ignore[assignment]
    odd = Odd()

    def scaled(x: Any) -> Any:
        return x * odd.scale

    @tf.function
    def step(x: Any) -> Any:
        return scaled(x)

    with recording() as recorded:
        step(tf.ones([2]))
    assert recorded.count("step") == 1


def test_numpys_generators_are_not_loaded_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.random.Generator in _generators()
    monkeypatch.delitem(sys.modules, "numpy.random")
    assert _generators() == (random.Random,)
    assert "numpy.random" not in sys.modules
