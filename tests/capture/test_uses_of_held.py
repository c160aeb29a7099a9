"""What methods of objects that an object holds do with numbers: which class they are of is the object's to tell."""

from __future__ import annotations

import math
from typing import Any

import keras
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import uses_of_held as module
from tb_retrace_plugin.capture.code.by_code import ByCalled
from tb_retrace_plugin.capture.code.python_uses import python_uses
from tb_retrace_plugin.capture.code.uses_in_layers import uses_in_layers
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


class Stage:
    def __call__(self, x: Any, k: Any) -> Any:
        return x * math.exp(k)


class Whole:
    def __call__(self, x: Any, k: Any) -> Any:
        return x * math.floor(k)


class Other:
    def __call__(self, x: Any, k: Any) -> Any:
        return x * k


class Block(keras.layers.Layer):
    def call(self, x: Any, k: Any) -> Any:
        return x * 2.0 if k > 1 else x


class Composed:
    def __init__(self, solver: Any, stages: Any, heads: Any) -> None:
        self.solver, self.stages, self.heads = solver, stages, heads

    def by_alias(self, y: Any, n: Any) -> Any:
        schedule = self.solver.schedule
        return schedule.at(n) * y

    def by_place(self, y: Any, n: Any) -> Any:
        return self.stages[-1](y, n)

    def by_index(self, y: Any, n: Any) -> Any:
        for i in range(len(self.stages)):
            y = self.stages[i](y, n)
        return y

    def by_loop(self, y: Any, n: Any) -> Any:
        for _, stage in enumerate(self.stages[:-1]):
            y = stage(y, n)
        for stage in self.stages:
            y = stage(y, k=n)
        return y

    def by_key(self, y: Any, n: Any) -> Any:
        return self.heads["a"](y, n)

    def by_items(self, y: Any, n: Any) -> Any:
        return tf.add_n([head(one, n) for one, (_, head) in zip(y, self.heads.items(), strict=True)]) + self.of_both(
            y, n
        )

    def of_both(self, y: Any, n: Any) -> Any:
        return [stage(each, n) for each, stage in zip(y, self.stages, strict=True)]

    def of_others(self, y: Any, n: Any) -> Any:
        for stage in self.stages:
            stage = y
            y = stage(y, n)
        return self.heads["b"](y, n)


REGISTRY = {"other": Other(), "stage": Stage().__call__}


def by_registry(y: Any, n: Any) -> Any:
    return [function(y, n) for function in REGISTRY.values()]


@pytest.mark.parametrize("stage", [Stage, Block])
def test_local_names_and_items_lead_to_objects_too(stage: Any) -> None:
    own = Composed(Solver(Schedule()), [Other(), Whole(), stage()], {"a": stage(), "b": Other()})
    use = "math.exp(n)" if stage is Stage else "… if n > 1 else … of a layer unconverted"
    uses = uses_of_held if stage is Stage else lambda function, own, *_: uses_in_layers(function, own, {})
    assert "round(n)" in uses_of_held(Composed.by_alias, own, {}, ())
    for function in (Composed.by_place, Composed.by_index, Composed.by_loop, Composed.by_key, Composed.of_both):
        assert use in uses(function, own, {}, ()), function
    assert stage is Block or "math.floor(n)" in uses(Composed.by_loop, own, {}, ())
    assert stage is Block or use in uses(Composed.by_items, own, {}, ())
    assert use not in uses(Composed.of_others, own, {}, ())
    assert stage is Block or use in uses(by_registry, None, {}, ())
    without = Composed(None, tf.Module(), {})
    assert [uses(each, without, {}, ()) for each in (Composed.by_loop, Composed.by_key, Composed.by_alias)] == [[]] * 3


def test_each_kind_of_object_is_told_of_by_itself() -> None:
    class Integrator:
        def integrate(self, y: Any, end: Any) -> Any:
            return y * end

    function = train(Trainer(None))
    assert "round(horizon)" in uses_of_held(function, Trainer(Solver(Schedule())), {}, ())
    assert "round(horizon)" not in uses_of_held(function, Trainer(Integrator()), {}, ())


def test_objects_that_hold_one_another_have_an_end() -> None:
    trainer = Trainer(Solver(None))
    trainer.solver.schedule = trainer
    trainer.at = trainer.loss  # type: ignore[attr-defined]
    uses_of_held(train(trainer), trainer, {}, ())


def test_nothing_is_said_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(module, "_known", ByCalled(1))
    monkeypatch.setattr(module, "uses_with_held", fail)
    assert uses_of_held(train(Trainer(None)), Trainer(Solver(Schedule())), {}, ()) == []
