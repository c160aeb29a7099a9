"""What instances have of their own that makes their graphs others: told by name, and passed by the advice."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.capture.conftest import RecordFixture
from tests.capture.test_advice_is_exact import run
from tests.capture.test_objects_are_exact import Changed

pytestmark = pytest.mark.newest  # objects are told apart on both in test_traces.py

PROGRAMS = {
    "tensors": Changed(
        """
class Scorer:
    def __init__(self, weight, parts):
        self.weight = weight
        self.parts = parts
    @tf.function
    def score(self, x):
        return tf.reduce_sum(self.weight * x) + self.parts[1]

for seed in range(3):
    scorer = Scorer(tf.random.normal([3]), [tf.zeros([]), tf.ones([]) * seed])
    scorer.score(tf.ones([3]))
""",
        "pass_tensors_of_instance",
        """
@tf.function
def scorer_score(x, weight, parts_1):
    return tf.reduce_sum(weight * x) + parts_1

class Scorer:
    def __init__(self, weight, parts):
        self.weight = weight
        self.parts = parts
    def score(self, x):
        return scorer_score(x, self.weight, self.parts[1])

for seed in range(3):
    scorer = Scorer(tf.random.normal([3]), [tf.zeros([]), tf.ones([]) * seed])
    scorer.score(tf.ones([3]))
""",
        (3, 1),
    ),
    "variables that the program keeps for some instances": Changed(
        """
class Counter:
    def __init__(self, total):
        self.total = total
    @tf.function
    def add(self, x):
        return self.total.assign_add(tf.reduce_sum(x))

kept = tf.Variable(0.0)
for i in range(6):
    counter = Counter(kept if i % 2 else tf.Variable(0.0))
    counter.add(tf.ones([3]))
""",
        "pass_tensors_of_instance",
        """
@tf.function
def counter_add(x, total):
    return total.assign_add(tf.reduce_sum(x))

class Counter:
    def __init__(self, total):
        self.total = total
    def add(self, x):
        return counter_add(x, self.total)

kept = tf.Variable(0.0)
for i in range(6):
    counter = Counter(kept if i % 2 else tf.Variable(0.0))
    counter.add(tf.ones([3]))
""",
        (6, 1),
    ),
    "variables": Changed(
        """
class Counter:
    def __init__(self):
        self.total = tf.Variable(0.0)
        self.add = tf.function(self._add)
    def _add(self, x):
        return self.total.assign_add(tf.reduce_sum(x))

for _ in range(3):
    counter = Counter()
    assert float(counter.add(tf.ones([3]))) == 3.0
""",
        "pass_tensors_of_instance",
        """
@tf.function
def counter_add(x, total):
    return total.assign_add(tf.reduce_sum(x))

class Counter:
    def __init__(self):
        self.total = tf.Variable(0.0)
    def add(self, x):
        return counter_add(x, self.total)

for _ in range(3):
    counter = Counter()
    assert float(counter.add(tf.ones([3]))) == 3.0
""",
        (3, 1),
    ),
    "a tensor and a number": Changed(
        """
class Scorer:
    def __init__(self, weight, rate):
        self.weight = weight
        self.rate = rate
    @tf.function
    def score(self, x):
        return tf.reduce_sum(self.weight * x) * self.rate ** 2

for rate in (0.1, 0.2, 0.4):
    scorer = Scorer(tf.random.normal([3]), rate)
    scorer.score(tf.ones([3]))
""",
        "pass_tensors_of_instance",
        """
@tf.function
def scorer_score(x, weight, rate):
    return tf.reduce_sum(weight * x) * rate ** 2

class Scorer:
    def __init__(self, weight, rate):
        self.weight = weight
        self.rate = rate
    def score(self, x):
        return scorer_score(x, self.weight, tf.constant(self.rate))

for rate in (0.1, 0.2, 0.4):
    scorer = Scorer(tf.random.normal([3]), rate)
    scorer.score(tf.ones([3]))
""",
        (3, 1),
    ),
    "a number of NumPy's that it computes with": Changed(
        """
import numpy as np

class Scaler:
    def __init__(self, rate):
        self.rate = rate
    @tf.function
    def scaled(self, x):
        return x * (1.0 - self.rate)

for rate in np.logspace(-3, -1, 3):
    scaler = Scaler(rate)
    scaler.scaled(tf.ones([3]))
""",
        "pass_numbers_of_instance",
        """
import numpy as np

@tf.function
def scaler_scaled(x, rate):
    return x * (1.0 - rate)

class Scaler:
    def __init__(self, rate):
        self.rate = rate
    def scaled(self, x):
        return scaler_scaled(x, tf.constant(self.rate, tf.float32))

for rate in np.logspace(-3, -1, 3):
    scaler = Scaler(rate)
    scaler.scaled(tf.ones([3]))
""",
        (3, 1),
    ),
}


#: The method, and the function outside of the class.
METHODS = {
    "tensors": ("score", "scorer_score"),
    "variables that the program keeps for some instances": ("add", "counter_add"),
    "variables": ("_add", "counter_add"),
    "a tensor and a number": ("score", "scorer_score"),
    "a number of NumPy's that it computes with": ("scaled", "scaler_scaled"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_advice_gives_the_promised_traces(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    program = PROGRAMS[name]
    method, outside = METHODS[name]
    before, (found, *_) = run(program.source, "before", tmp_path, recording, method)
    assert (before, found.rule, found.traces_after) == (program.traces[0], program.rule, program.traces[1])
    (call,) = (line.strip() for line in (found.code or "").splitlines() if line.startswith("        return "))
    assert call in program.mended
    after, remaining = run(program.mended, "after", tmp_path, recording, outside)
    assert after == program.traces[1]
    assert not [one for one in remaining if one.traces_after is not None]


class Net:
    def __init__(self, **settings: object) -> None:
        self.__dict__.update(settings)

    @tf.function
    def step(self, x: tf.Tensor) -> tf.Tensor:
        y = tf.reduce_sum(x * self.weight) * self.rate**2  # type: ignore[attr-defined]
        if self.mode == "double":  # type: ignore[attr-defined]
            y = y * 2.0
        for one in self.table:  # type: ignore[attr-defined]
            y = y + one
        return self.act(y)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"weight": np.array([2.0, 3.0], "float32"), "rate": 0.25}, "`self.rate`: 0.5 → 0.25, `self.weight`: array"),
        ({"table": [1.0, 2.0]}, "`self.table`: [1.0] → [1.0, 2.0]."),
        ({"table": [2.0], "rate": 0.25}, "`self.rate`: 0.5 → 0.25, `self.table`: [1.0] → [2.0]."),
        ({"act": tf.nn.tanh}, "`self.act`: function relu #1 → function tanh #2."),
        ({"mode": "double", "rate": 0.25}, "`self.rate`: 0.5 → 0.25, `self.mode`: 'plain' → 'double'."),
    ],
)  # fmt: skip
def test_all_that_is_read_otherwise_is_told(recording: RecordFixture, other: dict[str, object], told: str) -> None:
    settings = {"weight": np.ones(2, "float32"), "rate": 0.5, "mode": "plain", "table": [1.0], "act": tf.nn.relu}
    with recording() as r:
        for one in (Net(**settings), Net(**{**settings, **other})):
            one.step(tf.ones([2]))
    assert r.traces[-1].verdict == "unknown"
    assert f"another graph or captures other objects, and it reads {told}" in r.traces[-1].evidence


def test_a_number_alone_is_told_to_be_so(recording: RecordFixture) -> None:
    settings = {"weight": np.ones(2, "float32"), "rate": 0.5, "mode": "plain", "table": [1.0], "act": tf.nn.relu}
    with recording() as r:
        for one in (Net(**settings), Net(**{**settings, "rate": 0.25})):
            one.step(tf.ones([2]))
    assert "the same but for fractions, which are read or computed of `self.rate`: 0.5 → 0.25." in r.traces[-1].evidence


def test_of_a_bool_there_are_two(recording: RecordFixture) -> None:
    class Flagged:
        def __init__(self, doubles: bool) -> None:
            self.doubles = doubles

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            return x * 2.0 if self.doubles else x

    with recording() as r:
        for doubles in (True, False, True):
            one = Flagged(doubles)
            one.step(tf.ones([2]))
    assert [trace.verdict for trace in r.traces] == ["needed", "bounded", "avoidable"]
    assert "this one reads `self.doubles`: True → False. There are but two" in r.traces[1].evidence


def test_models_of_other_functions_are_not_made_one(recording: RecordFixture) -> None:
    class Model(tf.Module):
        def __init__(self, act: object) -> None:
            super().__init__()
            self.w, self.act = tf.Variable([1.0, 2.0]), act

        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            return self.act(self.w * x)  # type: ignore[operator]

    with recording() as r:
        for act in (tf.nn.relu, tf.nn.tanh):
            model = Model(act)
            model.step(tf.ones([2]))
    assert "`self.act`: function relu #1 → function tanh #2" in r.traces[-1].evidence
    assert "If it was made alike" not in r.traces[-1].evidence


def test_what_a_function_reads_that_closes_over_the_same_kind_of_object_is_told(recording: RecordFixture) -> None:
    class Part:
        def __init__(self, size: int, rate: float) -> None:
            self.size, self.rate = size, rate

    def make(part: Part) -> tf.types.experimental.PolymorphicFunction:
        @tf.function
        def step(x: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(x) * part.rate + tf.reduce_sum(tf.ones([part.size]))

        return step

    with recording() as r:
        for size in (2, 3):
            make(Part(size, size / 10))(tf.ones([2]))
    assert "another `part`. It reads `part.rate`: 0.2 → 0.3, `part.size`: 2 → 3." in r.traces[-1].evidence


def test_what_serves_all_instances_comes_before_what_serves_one(tmp_path: Path, recording: RecordFixture) -> None:
    source = """
class Scaler:
    def __init__(self, rate):
        self.rate = rate
    @tf.function
    def scaled(self, x):
        return x * self.rate

for rate in (0.5, 1.5, 2.5, 3.5):
    scaler = Scaler(rate)
    for size in (2, 3, 4):
        scaler.scaled(tf.ones([size]))
"""
    before, found = run(source, "program", tmp_path, recording, "scaled")
    numbers = [(one.rule, one.traces_after) for one in found]
    assert (before, numbers[:2]) == (12, [("pass_numbers_of_instance", 3), ("input_signature", 4)])


@pytest.mark.parametrize("count", [1, 2])
def test_what_a_function_that_is_gone_has_read_is_told_where_another_one_reads_otherwise(
    count: int, recording: RecordFixture
) -> None:
    class Dynamics:
        def __init__(self) -> None:
            self.feedback, self.held = tf.nn.relu, tf.ones([200])

        def step(self, x: tf.Tensor) -> tf.Tensor:
            return self.feedback(x) * self.held

    dynamics, other = Dynamics(), tf.function(lambda x: x)
    with recording() as r:
        for _ in range(2):
            tf.function(dynamics.step)(tf.ones([200]))
            gc.collect()
            other(len(r.traces))  # what is gone is watched no longer
            dynamics.feedback = tf.nn.tanh
            if count == 2:
                dynamics.held = tf.zeros([200])
    _, again = (trace for trace in r.traces if trace.function.name == "step")
    assert " reads `self.feedback`: function relu #1 → function tanh #2" in again.evidence


class Environment:
    def __init__(self, kind: str, gain: float) -> None:
        self.kind, self.gain = kind, gain

    @tf.function
    def step(self, state: tf.Tensor) -> tf.Tensor:
        return state + self.gain if self.kind == "pole" else tf.sin(state) * self.gain


def test_instances_of_two_kinds_by_turns_are_compared_with_those_of_their_kind(recording: RecordFixture) -> None:
    with recording() as r:
        for gain in (0.5, 1.5, 2.5):
            for kind in ("pole", "car"):
                environment = Environment(kind, gain)
                environment.step(tf.ones([2]))
    found = [(trace.closest_n, "`self.gain`: " in trace.evidence, trace.verdict) for trace in r.traces[1:]]
    assert found == [(1, False, "unknown"), *((n, True, "unknown") for n in (1, 2, 3, 4))]
    assert "its graph is the same but for `self.gain`: 1.5 → 2.5." in r.traces[-1].evidence


class Agent:
    def __init__(self, size: int) -> None:
        self.actor = tf.Module()
        self.actor.layers = [tf.Module()]
        self.actor.layers[0].w = tf.Variable(tf.ones([size]))
        self.actors = {"first": self.actor}
        self.weights = [self.actor.layers[0].w]


class Raw:
    def __init__(self, size: int) -> None:
        self.weights = [tf.Variable(tf.ones([size]))]
        self.actor = tf.Module()


class Trainer:
    def __init__(self, agent: Agent | Raw) -> None:
        self.agents = [agent]

    @tf.function
    def step(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(self.agents[0].weights[0] * x)


@pytest.mark.parametrize(("kind", "word"), [(Agent, "bounded"), (Raw, "unknown")])
def test_models_of_what_a_trainer_has_are_found(recording: RecordFixture, kind: type, word: str) -> None:
    """Not where the graph captures a variable that is no model's, though there is a model, too."""
    trainers = [Trainer(kind(size)) for size in (2, 3)]
    with recording() as r:
        for trainer in trainers:
            trainer.step(tf.ones([]))
    assert r.of("step")[1].verdict == word
