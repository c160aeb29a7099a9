"""Stale values of what a function hands on: arrays to models and losses, functions to what calls them as it traces."""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.capture.conftest import RecordFixture
from tests.capture.test_stale_values import stale

TARGETS: Any = np.zeros((2, 1), "float32")
ROWS: Any = np.ones((2, 3), "float32")
EVIDENCE: Any = np.ones((2,), "float32")
external: Any = 2.0
settings: Any = {"train": {"rate": 0.5}, "empty": {}}
activation: Any = tf.nn.relu


class Weights(NamedTuple):
    data: float
    penalty: float


weights: Any = Weights(1.0, 0.5)


def scaled(x: Any) -> Any:
    return x * external


class Kernel:
    """As a library's, which TensorFlow Probability has many of; here by its name."""

    def __init__(self, target: Any) -> None:
        self.target = target

    def one_step(self, x: Any) -> Any:
        return self.target(x)


def RandomWalkMetropolis(target: Any) -> Kernel:
    return Kernel(target)


def test_arrays_that_models_and_losses_are_passed(recording: RecordFixture) -> None:
    global EVIDENCE, ROWS, TARGETS
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    mse = keras.losses.MeanSquaredError()

    class Trainer:
        def __init__(self) -> None:
            self.rows = np.ones((2, 3), "float32")
            self.kept: list[Any] = []

        @tf.function
        def predict(self, x: Any) -> Any:
            return model(self.rows) + x

        @tf.function
        def keep(self, x: Any) -> Any:
            self.kept.append(TARGETS)
            print(TARGETS)
            return x * len(TARGETS)

    @tf.function
    def loss(x: Any) -> Any:
        return mse(TARGETS, model(x))

    @tf.function
    def product(x: Any) -> Any:
        return keras.ops.matmul(x, ROWS)

    class Distribution:
        def __init__(self) -> None:
            self.log_prob = keras.layers.Lambda(lambda given: tf.reduce_sum(given["y"] - given["x"]))

    distribution = Distribution()

    @tf.function
    def likelihood(x: Any) -> Any:
        return distribution.log_prob({"x": x, "y": EVIDENCE})

    trainer = Trainer()
    x = tf.ones([2, 3])
    with recording() as r:
        before = float(loss(x)), trainer.predict(0.0).numpy(), product(tf.ones([1, 2])).numpy()
        trainer.keep(1.0)
        likelihood(tf.ones([2]))
        TARGETS, ROWS, trainer.rows, EVIDENCE = TARGETS + 1, ROWS + 1, trainer.rows + 1, EVIDENCE + 1
        after = float(loss(x)), trainer.predict(0.0).numpy(), product(tf.ones([1, 2])).numpy()
    assert before[0] == after[0]
    assert all(np.array_equal(*both) for both in zip(before[1:], after[1:], strict=True))
    assert [one[1] for one in stale(r)] == ["TARGETS", "self.rows", "ROWS", "EVIDENCE"]


def test_arrays_that_are_assigned_and_of_which_the_shape_alone_is_asked(recording: RecordFixture) -> None:
    global ROWS, TARGETS
    total = tf.Variable(tf.zeros([2, 1]))

    @tf.function
    def assigns(x: Any) -> Any:
        total.assign_add(TARGETS)
        return x

    @tf.function
    def asks(x: Any) -> Any:
        return x * float(np.shape(ROWS)[0]) + tf.reduce_sum(tf.zeros_like(ROWS))

    with recording() as r:
        assigns(tf.ones([]))
        asks(tf.ones([]))
        TARGETS, ROWS = TARGETS + 1, ROWS + 1
    assert [one[1] for one in stale(r)] == ["TARGETS"]


def test_not_what_helpers_of_the_users_own_are_passed_and_leave(recording: RecordFixture) -> None:
    global TARGETS

    class Settings:
        def __init__(self, targets: Any) -> None:
            self.rows = len(targets)

    def helper(x: Any, _targets: Any) -> Any:
        return x + 1.0

    @tf.function
    def step(x: Any) -> Any:
        return helper(x, TARGETS) * Settings(TARGETS).rows

    with recording() as r:
        step(tf.ones([]))
        TARGETS = TARGETS + 1
        step(tf.ones([]))
    assert stale(r) == []


def test_functions_that_are_run_as_the_function_is_traced(recording: RecordFixture) -> None:
    global external

    @tf.function
    def structures(x: Any) -> Any:
        return tf.nest.map_structure(scaled, [x])[0]

    @tf.function
    def chain(x: Any) -> Any:
        return RandomWalkMetropolis(scaled).one_step(x)

    with recording() as r:
        before = float(structures(tf.ones([]))), float(chain(tf.ones([])))
        external = 5.0
        assert before == (float(structures(tf.ones([]))), float(chain(tf.ones([]))))
    assert [(name, *values) for _, name, _, *values in stale(r)] == [("external", "2.0", "5.0")] * 2


def test_what_get_gives_is_asked_in_turn(recording: RecordFixture) -> None:
    class Trainer:
        def __init__(self) -> None:
            self.config: Any = {"train": {"rate": 0.5}}

        @tf.function
        def step(self, x: Any) -> Any:
            train = self.config.get("train", {})
            return x * train.get("rate", 1.0)

    @tf.function
    def chained(x: Any) -> Any:
        return x * settings.get("train").get("rate", 1.0) + settings.get("empty", {}).get("bias", 0.0)

    trainer = Trainer()
    with recording() as r:
        before = float(trainer.step(1.0)), float(chained(1.0))
        trainer.config["train"]["rate"] = settings["train"]["rate"] = 2.0
        settings["empty"]["bias"] = 3.0
        assert before == (float(trainer.step(1.0)), float(chained(1.0))) == (0.5, 0.5)
    assert sorted((name, *values) for _, name, _, *values in stale(r)) == [
        ("self.config['train']['rate']", "0.5", "2.0"),
        ("settings['empty']['bias']", "its default", "3.0"),
        ("settings['train']['rate']", "0.5", "2.0"),
    ]


def test_library_functions_by_another_name_and_a_named_tuple_in_parts(recording: RecordFixture) -> None:
    global activation, weights

    @tf.function
    def activated(x: Any) -> Any:
        return activation(x)

    @tf.function
    def weighed(x: Any) -> Any:
        data, penalty = weights
        return x * data + penalty

    with recording() as r:
        before = float(activated(-1.0)), float(weighed(1.0))
        activation, weights = tf.nn.tanh, Weights(2.0, 0.5)
        assert before == (float(activated(-1.0)), float(weighed(1.0))) == (0.0, 1.5)
    assert [(name, *values) for _, name, _, *values in stale(r)] == [
        ("activation", "function relu #1", "function tanh #2"),
        ("weights", "(1.0, 0.5)", "(2.0, 0.5)"),
    ]


def test_what_changed_further_until_the_object_was_freed(recording: RecordFixture) -> None:
    """A model for each fold, and a weight that grows: the last is what its graph ended beside."""
    global external

    class Model:
        def __init__(self) -> None:
            self.rate = 1.0

    @tf.function
    def loss(model: Any, x: Any) -> Any:
        return x * external * model.rate

    @tf.function
    def other(x: Any) -> Any:
        return x + 1.0

    external = 2.0
    with recording() as r:
        model = Model()
        loss(model, tf.ones([]))
        external, model.rate = 5.0, 2.0
        other(tf.ones([]))  # is traced, and what changed is told
        external, model.rate = 7.0, 3.0
        model = Model()
        loss(model, tf.ones([]))
    latest = {name: (seq, traced, now) for seq, name, _, traced, now in stale(r)}
    assert latest == {"external": (1, "2.0", "7.0"), "model.rate": (1, "1.0", "3.0")}


def test_what_is_passed_for_a_parameter_that_nothing_reads(recording: RecordFixture) -> None:
    class Equation:
        def __init__(self) -> None:
            self.total_time, self.sigma = 1.0, 2.0

        def terminal(self, t: Any, x: Any) -> Any:
            return x * 0.5

        def drift(self, t: Any, x: Any, sigma: Any = None) -> Any:
            def scaled(value: Any) -> Any:
                return value * t

            return scaled(x)

    equation = Equation()

    @tf.function
    def at_the_end(x: Any) -> Any:
        return equation.terminal(equation.total_time, x)

    @tf.function
    def before_it(x: Any) -> Any:
        return equation.drift(equation.total_time, x, sigma=equation.sigma)

    def act(x: Any, *_: Any, **unused: Any) -> Any:
        return x

    @tf.function
    def made_within(x: Any) -> Any:
        def halved(value: Any, time: Any, *rest: Any) -> Any:
            return value * 0.5

        doubled = lambda value, **_: value * 2.0  # noqa: E731
        unused = 1.0
        unused += equation.sigma
        x = halved(x, equation.total_time, equation.sigma)
        return act(doubled(x, sigma=equation.sigma), equation.sigma, sigma=equation.total_time)

    @tf.function
    def used_within(x: Any) -> Any:
        total = 0.5

        def scaled(value: Any, *rest: Any) -> Any:
            return value * rest[0]

        total += equation.total_time
        return scaled(x, equation.sigma) * total

    with recording() as r:
        before = float(at_the_end(1.0)), float(before_it(1.0))
        made_within(1.0), used_within(1.0)
        equation.total_time, equation.sigma = 3.0, 4.0
        assert before == (float(at_the_end(1.0)), float(before_it(1.0))) == (0.5, 1.0)
    assert sorted(one[:2] for one in stale(r)) == [
        (2, "equation.total_time"), (4, "equation.sigma"), (4, "equation.total_time"),
    ]  # fmt: skip


class Emulator:
    """Whose scaling is a tf.function that each training defines, and tensors that it hands to that."""

    def __init__(self) -> None:
        self.unread = {"other": tf.constant(0.0)}
        self.trained(2.0, "scaled")

    def trained(self, scale: float, kind: str, gain: Any = 1.0) -> None:
        if kind == "scaled":

            @tf.function
            def rescaled(x: Any, vectors: Any) -> Any:
                return x * vectors["scale"] * gain

        else:

            @tf.function
            def rescaled(x: Any, vectors: Any) -> Any:
                return x * vectors["scale"] - gain

        self.rescaled, self.vectors = rescaled, {"scale": tf.constant(scale)}

    @tf.function
    def predict(self, x: Any) -> Any:
        return self.rescaled(x, self.vectors) + self.shown(self.unread)

    def shown(self, unread: Any) -> float:
        return float(len(unread))


@pytest.mark.parametrize(
    ("scale", "kind", "gain", "expected"),
    [
        (3.0, "scaled", 1.0, {"self.vectors['scale']"}),
        (2.0, "shifted", 1.0, {"self.vectors['scale']", "self.rescaled"}),  # each tensor is another one
        (2.0, "scaled", 2.0, {"self.vectors['scale']", "self.rescaled"}),
    ],
)
def test_tensors_that_a_tf_function_is_handed_and_that_itself(
    scale: float, kind: str, gain: float, expected: set[str], recording: RecordFixture
) -> None:
    emulator = Emulator()
    with recording() as r:
        emulator.predict(tf.constant(1.0))
        emulator.trained(scale, kind, gain)
        emulator.unread = {"other": tf.constant(1.0)}
    assert {path for _, path, *_ in stale(r)} == expected


def test_a_tf_function_that_closes_over_an_object_is_another_one(recording: RecordFixture) -> None:
    emulator = Emulator()
    emulator.trained(2.0, "scaled", tf.constant(1.0))
    vectors = emulator.vectors
    with recording() as r:
        emulator.predict(tf.constant(1.0))
        emulator.trained(2.0, "scaled", tf.constant(1.0))
        emulator.vectors = vectors
    assert {path for _, path, *_ in stale(r)} == {"self.rescaled"}


class Several:
    """What gives several values at once."""

    def __init__(self) -> None:
        self.first, self.last, self.rest = 1.0, 2.0, {"a": 3.0, "b": 4.0}

    @property
    def both(self) -> Any:
        """Written as one."""
        return self.first * 2.0, self.last

    @property
    def by_name(self) -> Any:
        return {"first": self.first, "rest": [self.rest["a"], self.rest["b"]]}

    @property
    def through_a_name(self) -> Any:
        both = self.first, self.last
        return both  # noqa: RET504


def test_of_several_that_a_property_gives_the_one_that_is_asked_for(recording: RecordFixture) -> None:
    several = Several()
    kinds: list[Any] = [
        lambda x: x * several.both[0],
        lambda x: x * several.both[-1],
        lambda x: x * several.both[0] + sum(several.both),
        lambda x: x * several.by_name["first"],
        lambda x: x * several.by_name["rest"][0],
        lambda x: x * several.through_a_name[0],
    ]
    with recording() as r:
        functions = [tf.function(kind) for kind in kinds]
        for function in functions:
            function(tf.ones([]))
        several.last, several.rest["b"] = 5.0, 6.0
    assert {(seq, name) for seq, name, *_ in stale(r)} == {
        (2, "several.last"),
        (3, "several.last"),
        (5, "several.rest['b']"),
        (6, "several.last"),
    }


def half_step(x: Any, fn: Any) -> Any:
    return x + fn(x)


def leapfrog(x: Any, fn: Any, steps: int = 2) -> Any:
    for _ in range(steps):
        x = half_step(x, fn=fn)
    return x


def not_called(x: Any, fn: Any) -> Any:
    return x if callable(fn) else fn


class Target:
    def __init__(self) -> None:
        self.rate, self.of_more = 1.0, Holder()

    def gradient(self, x: Any) -> Any:
        return x * self.rate

    def of_its_own(self, x: Any, fn: Any) -> Any:
        return fn(x)

    @tf.function
    def step(self, x: Any) -> Any:
        return self.of_its_own(x, self.gradient)

    @tf.function
    def by_a_name(self, x: Any) -> Any:
        held = self.of_more
        return scaled_by(x, held)


class Holder:
    def __init__(self) -> None:
        self.rate = 1.0


def scaled_by(x: Any, of: Any) -> Any:
    return x * of.rate


def test_functions_and_methods_that_are_handed_to_what_calls_them(recording: RecordFixture) -> None:
    target, rate = Target(), 1.0

    def scaled(x: Any) -> Any:
        return x * rate

    def by_another_name(x: Any) -> Any:
        fn = target.gradient
        return half_step(x, fn)

    kinds: list[Any] = [
        lambda x: leapfrog(x, target.gradient),
        lambda x: half_step(x, scaled),
        by_another_name,
        lambda x: not_called(x, target.gradient),
    ]
    x = tf.ones([])
    with recording() as r:
        functions = [tf.function(kind) for kind in kinds]
        for function in functions:
            function(x)
        target.step(x)
        target.by_a_name(x)
        target.rate = target.of_more.rate = rate = 2.0
    assert {(seq, name) for seq, name, *_ in stale(r)} == {
        (1, "target.rate"),
        (2, "rate"),
        (3, "target.rate"),
        (5, "self.rate"),
        (6, "self.of_more.rate"),
    }
