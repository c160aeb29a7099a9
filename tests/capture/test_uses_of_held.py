"""What methods of objects that an object holds do with numbers: which class they are of is the object's to tell."""

from __future__ import annotations

import math
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import uses_of_held as module
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.python_uses import python_uses
from tb_retrace_plugin.capture.code.uses_of_held import uses_of_held
from tests.capture.conftest import RecordFixture


class Schedule:
    def at(self, progress: Any) -> Any:
        return round(progress, 2)


class Solver:
    def __init__(self, schedule: Any) -> None:
        self.schedule = schedule

    @tf.function
    def integrate(self, y: Any, end: Any) -> Any:
        for _ in range(int(self.schedule.at(end) * 10)):
            y = y + 1.0
        return y


class Trainer:
    def __init__(self, solver: Any, halve: Any = None) -> None:
        self.solver, self.halve = solver, halve

    @tf.function
    def train(self, y: Any, horizon: Any) -> Any:
        return self.loss(y, horizon)

    def loss(self, y: Any, horizon: Any) -> Any:
        return tf.reduce_sum(self.solver.integrate(y, horizon))

    def handed(self, y: Any, horizon: Any) -> Any:
        return self.halve(y, horizon)


def halved(y: Any, part: Any) -> Any:
    return y[: int(len(y) * round(part))]


def train(trainer: Trainer) -> Any:
    return Trainer.__dict__["train"].python_function


def test_it_is_told_of_an_object_that_was_passed_to_its_init_and_of_what_that_holds(recording: RecordFixture) -> None:
    trainer = Trainer(Solver(Schedule()))
    with recording() as recorded:
        for end in (0.1, 0.2):
            trainer.train(tf.ones([2]), end)
    traces = [trace for trace in recorded.traces if trace.function.name == "train"]
    assert len(traces) == 2
    for trace in traces:
        assert "round(horizon)" in trace.function.python_uses


def test_the_code_alone_tells_nothing_of_it() -> None:
    function = train(Trainer(None))
    assert not [use for use in python_uses(function.__code__, function) if "horizon" in use]
    assert uses_of_held(function, None, {}, ()) == []
    assert uses_of_held(function, Trainer(None), {}, ()) == []
    assert uses_of_held(function, Trainer(Solver(Schedule())), {}, ("round(horizon)",)) == [
        use for use in uses_of_held(function, Trainer(Solver(Schedule())), {}, ()) if use != "round(horizon)"
    ]


def test_a_function_that_it_holds_is_read_too() -> None:
    assert "round(horizon)" in uses_of_held(Trainer.handed, Trainer(None, halved), {}, ())
    assert "round(horizon)" in uses_of_held(Trainer.handed, Trainer(None, tf.function(halved)), {}, ())
    assert uses_of_held(Trainer.handed, Trainer(None, len), {}, ()) == []


def test_objects_that_are_passed_and_those_around_it_are_known_too() -> None:
    def passed(solver: Any, net: Any, y: Any, n: Any) -> Any:
        return solver.schedule.at(n) + net(y, n)

    class Net:
        def __call__(self, y: Any, k: Any) -> Any:
            return y * math.exp(k)

    around = Trainer(Solver(Schedule()))

    def closes_over(y: Any, n: Any) -> Any:
        return around.solver.schedule.at(n) + around.loss(y, y)

    assert {"round(n)", "math.exp(n)"} <= {
        *uses_of_held(passed, None, {"solver": Solver(Schedule()), "net": Net()}, ())
    }
    assert uses_of_held(passed, None, {}, ()) == []
    assert "round(n)" in uses_of_held(closes_over, None, {}, ())


def test_each_kind_of_object_is_told_of_by_itself() -> None:
    class Other:
        def integrate(self, y: Any, end: Any) -> Any:
            return y * end

    function = train(Trainer(None))
    assert "round(horizon)" in uses_of_held(function, Trainer(Solver(Schedule())), {}, ())
    assert "round(horizon)" not in uses_of_held(function, Trainer(Other()), {}, ())


def test_objects_that_hold_one_another_have_an_end() -> None:
    trainer = Trainer(Solver(None))
    trainer.solver.schedule = trainer
    trainer.at = trainer.loss  # type: ignore[attr-defined]
    uses_of_held(train(trainer), trainer, {}, ())


def test_nothing_is_said_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(module, "_known", ByCode())
    monkeypatch.setattr(module, "uses_with_held", fail)
    assert uses_of_held(train(Trainer(None)), Trainer(Solver(Schedule())), {}, ()) == []
