"""What a function only asks for in tests is stale once they give something else, and no earlier."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.capture.conftest import RecordFixture
from tests.capture.test_stale_values import stale


class Trainer:
    def __init__(self) -> None:
        self.config = {"start": 3, "weight": 2.0}
        self.steps, self.epoch, self.rate, self.shown = 0, 0, 0.5, 0

    def losses_of(self, x: Any) -> Any:
        loss = x * self.config["weight"]
        if self.steps >= self.config["start"] and self.rate:
            loss += 1.0
        return loss if self.epoch < 2 else loss * 2.0

    @tf.function
    def step(self, x: Any) -> Any:
        return self.losses_of(x)

    @tf.function
    def shown_step(self, x: Any) -> Any:
        """Asks for what it computes with, too; and what a helper computes with."""
        if self.shown > 10:
            x = x * 2.0
        if self.rate > 10.0:
            x = x * 2.0
        return x * float(self.shown) * self.rated()

    def rated(self) -> float:
        return self.rate * 2.0

    @tf.function
    def unknown_step(self, x: Any, start: Any) -> Any:
        return x if start is not None and self.steps > start else x * 2.0

    @tf.function
    def repeated(self, x: Any) -> Any:
        for _ in range(self.epoch):
            x = x * 2.0
        return x


def test_what_decides_alike_is_not_stale(recording: RecordFixture) -> None:
    trainer = Trainer()
    with recording() as r:
        for _ in range(3):
            trainer.step(tf.constant(1.0))
            trainer.steps += 1
            trainer.rate /= 2.0
        trainer.steps, trainer.epoch = 2, 1
    assert stale(r) == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("steps", 3, {("self.steps", "0", "3")}),
        ("epoch", 2, {("self.epoch", "0", "2")}),
        ("rate", 0.0, set()),  # it is not come to that
        ("config", {"start": -1, "weight": 2.0}, {("self.config['start']", "3", "-1")}),
    ],
)
def test_what_decides_otherwise_is(name: str, value: Any, expected: set[Any], recording: RecordFixture) -> None:
    trainer = Trainer()
    with recording() as r:
        trainer.step(tf.constant(1.0))
        setattr(trainer, name, value)
    assert {(path, traced, now) for _, path, _, traced, now in stale(r)} == expected


def test_what_is_computed_with_beside_or_how_often_a_loop_runs_is(recording: RecordFixture) -> None:
    trainer = Trainer()
    trainer.epoch = 1
    with recording() as r:
        trainer.shown_step(tf.constant(1.0))
        trainer.unknown_step(tf.constant(1.0), tf.constant(4))
        trainer.repeated(tf.constant(1.0))
        trainer.shown, trainer.rate, trainer.steps, trainer.epoch = 2, 0.25, 1, 3
    told = {(path, traced, now) for _, path, _, traced, now in stale(r)}
    assert told >= {("self.shown", "0", "2"), ("self.rate", "0.5", "0.25"), ("self.epoch", "1", "3")}


def test_of_an_object_that_is_freed_what_decided_alike_until_then(recording: RecordFixture) -> None:
    def run(steps: int) -> None:
        trainer = Trainer()
        trainer.step(tf.constant(1.0))
        trainer.steps = steps

    with recording() as r:
        run(2)
        run(5)
    assert [(seq, path, traced, now) for seq, path, _, traced, now in stale(r)] == [(2, "self.steps", "0", "5")]


class Solver:
    def __init__(self, batches: Any, is_wide: Any) -> None:
        self.batches, self.is_wide, self.batch, self.scale, self.offset = batches, is_wide, 0, 1.0, 1.0

    @tf.function
    def loss(self, x: Any) -> Any:
        if self.batches > 1 or self.is_wide:
            x = x * float(self.batch)
        if self.is_wide is True:
            x = x * self.scale
        if isinstance(self.batches, int):
            x = x + self.offset
        return x


@pytest.mark.parametrize(
    ("batches", "is_wide", "expected"),
    [
        (np.int32(1), np.False_, set()),
        (np.int32(4), np.False_, {"self.batch"}),
        (np.uint8(1), np.True_, {"self.batch"}),  # which is not True itself
        (np.float64(1.0), False, set()),
        (1, True, {"self.batch", "self.scale", "self.offset"}),
        (np.float32(1.0), False, {"self.batch", "self.offset"}),  # how it compares depends on NumPy
    ],
)
def test_numbers_of_numpy_decide_as_pythons_do(
    batches: Any, is_wide: Any, expected: set[str], recording: RecordFixture
) -> None:
    solver = Solver(batches, is_wide)
    with recording() as r:
        solver.loss(tf.constant(1.0))
        solver.batch, solver.scale, solver.offset = 1, 2.0, 3.0
    assert {path for _, path, *_ in stale(r)} == expected


class Schedule:
    """Of which others ask by a property and a method."""

    def __init__(self) -> None:
        self.done, self.mode, self.low, self.high = 1, "train", 0, 50

    @property
    def is_warm(self) -> bool:
        return self.done < 10

    def is_training(self) -> bool:
        return self.mode != "eval"

    @property
    def is_between(self) -> bool:
        return self.low < self.done <= self.high


class Runner:
    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.count = schedule, 1

    @tf.function
    def step(self, x: Any) -> Any:
        early = self.count <= 10
        if early and self.schedule.is_warm:
            x = x * 0.5
        return x * tf.cast(self.schedule.is_between, tf.float32) if self.schedule.is_training() else x

    @tf.function
    def beside(self, x: Any) -> Any:
        return x * float(self.count) if self.count < 10 else x


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"done": 4}, set()),
        ({"done": 10}, {"self.schedule.done"}),
        ({"mode": "finetune", "done": 2}, set()),
        ({"mode": "eval"}, {"self.schedule.mode"}),
        ({"high": 0}, {"self.schedule.high"}),
        ({"count": 5}, set()),
        ({"count": 11}, {"self.count"}),
    ],
)
def test_what_a_property_a_method_or_a_name_gives_of_a_comparison(
    changed: dict[str, Any], expected: set[str], recording: RecordFixture
) -> None:
    runner = Runner(Schedule())
    with recording() as r:
        runner.step(tf.constant(1.0))
        for name, value in changed.items():
            setattr(runner if name == "count" else runner.schedule, name, value)
    assert {name for _, name, *_ in stale(r)} == expected


def test_a_comparison_beside_what_computes_with_the_same(recording: RecordFixture) -> None:
    runner = Runner(Schedule())
    with recording() as r:
        runner.beside(tf.constant(1.0))
        runner.count = 5
    assert [name for _, name, *_ in stale(r)] == ["self.count"]


class Updates:
    def __init__(self) -> None:
        self.steps = 0

    @tf.function
    def step(self, x: Any) -> Any:
        return x * 2.0 if self.steps % 2 == 0 else x


def test_what_it_was_is_told_where_it_is_stale_for_another_graph(recording: RecordFixture) -> None:
    """Else it would be taken to have read what is there now."""
    updates = Updates()
    with recording() as r:
        for size in (1, 2):
            updates.step(tf.ones([size]))
            updates.steps += 1
        updates.steps = 4
    assert {(seq, name, traced, now) for seq, name, _, traced, now in stale(r)} == {
        (1, "self.steps", "0", "0"),
        (2, "self.steps", "1", "4"),
    }


class Mode(enum.Enum):
    TRAIN, EVALUATE, PREDICT = 1, 2, 3


class Network:
    """Of whose settings tests ask by methods of texts, by members, by a key, and by what is passed."""

    def __init__(self) -> None:
        self.kind, self.name, self.mode, self.done = "AdamW", "resnet50", Mode.TRAIN, 10
        self.config, self.limit, self.longest, self.most = {"clip": 1.0}, 4, 2, 3.0

    def is_due(self, every: int) -> bool:
        return self.done % every == 0

    @tf.function
    def step(self, x: Any) -> Any:
        print("after", self.done, "of", self.limit)
        if self.config.get("clip") is not None and x.shape[0] < self.limit:
            x = x + 1.0
        if self.kind.lower().startswith("adam") and "resnet" in self.name:
            x = x * 2.0
        if self.mode is not Mode.PREDICT and self.is_due(10):
            x = x * 3.0
        longest = self.longest
        if longest > self.most:
            x = x[:longest] * self.most
        return x


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"kind": "adam", "name": "resnet101", "mode": Mode.EVALUATE, "done": 20, "limit": 5}, set()),
        ({"config": {"clip": 2.0}}, set()),
        ({"kind": "SGD"}, {"self.kind"}),
        ({"name": "vgg"}, {"self.name"}),
        ({"mode": Mode.PREDICT}, {"self.mode"}),
        ({"done": 21}, {"self.done"}),
        ({"config": {"clip": None}}, {"self.config['clip']"}),
        ({"limit": 1}, {"self.limit"}),
        ({"longest": 1, "most": 2.0}, set()),  # which is read where it did not come to besides
        ({"longest": 4}, {"self.longest"}),
    ],
)
def test_what_methods_of_texts_members_keys_and_arguments_decide(
    changed: dict[str, Any], expected: set[str], recording: RecordFixture
) -> None:
    network = Network()
    with recording() as r:
        network.step(tf.ones([3]))
        for name, value in changed.items():
            setattr(network, name, value)
    assert {name for _, name, *_ in stale(r)} == expected
