"""Which objects hold the same, as far as plain values tell."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.python_state.what_it_holds import Holdings
from tests.capture.conftest import RecordFixture
from tests.support.tensorflow_version import IS_OLDEST


class Mode(enum.Enum):
    TRAIN = 1
    TEST = 2


class Config:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


class Other(Config):
    pass


@dataclasses.dataclass(frozen=True)
class Frozen:
    rate: float
    layers: Any = (1, 2)


class Slotted:
    __slots__ = ("__weakref__", "rate")


class Rows(list):  # type: ignore[type-arg]
    pass


class Hidden:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise AssertionError("it is the user's")


class Pair(NamedTuple):
    rate: float


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Config(rate=0.5, mode=Mode.TEST), Config(mode=Mode.TEST, rate=0.5), True),
        (Config(mode=Mode.TEST), Config(mode=Mode.TRAIN), False),
        (Config(rate=1), Config(rate=1.0), False),
        (tf.TensorShape([2, None]), tf.TensorShape([2, None]), True),
        (tf.TensorShape([2, None]), tf.TensorShape([2, 3]), False),
        (tf.TensorShape(None), tf.TensorShape(None), True),
        (Config(rate=0.5), Other(rate=0.5), False),
        (Config(rate=0.5), Config(rate=0.5, more=0), False),
        (Config(), Config(), True),
        (Frozen(0.5, [1, {"a": None}]), Frozen(0.5, [1, {"a": None}]), True),
        (Frozen(0.5, [1, 2]), Frozen(0.5, (1, 2)), False),
        (Frozen(0.5, Frozen(0.1)), Frozen(0.5, Frozen(0.1)), True),
        (Frozen(0.5, Frozen(0.1)), Frozen(0.5, Frozen(0.2)), False),
        (Frozen(0.5, tf.float32), Frozen(0.5, tf.float32), True),
    ],
)
def test_what_holds_the_same_has_one_number(one: Any, other: Any, same: bool) -> None:
    holdings = Holdings()
    assert holdings.of(one) is not None
    assert (holdings.of(one) == holdings.of(other)) == same


def test_of_what_may_hold_more_nothing_is_known() -> None:
    deep: Any = 1
    for _ in range(9):
        deep = [deep]
    others = (
        Config(w=tf.constant(1.0)), Config(f=len), Config(deep=deep), Config(pair=Pair(0.5)), Slotted(), Rows([1]),
        Hidden(), Config(many=list(range(99))), Config(rows=Rows([1])), len, Config, tf.constant(1.0),
    )  # fmt: skip
    assert [Holdings().of(one) for one in others] == [None] * len(others)


def _layers() -> tuple[Any, Any]:
    taken = tf.keras.Input([3])
    hidden = tf.keras.layers.Dense(2)
    first = hidden(taken)
    return hidden, tf.keras.Model(taken, [first, tf.keras.layers.Dense(1)(first)])


def test_keras_models_of_the_same_layers_hold_the_same() -> None:
    hidden, model = _layers()
    holdings, first = Holdings(), tf.keras.Model(model.inputs, model.outputs[0])
    again, sequences = tf.keras.Model(model.inputs, hidden.output), [tf.keras.Sequential([hidden]) for _ in range(2)]
    assert holdings.of(first) == holdings.of(again) is not None
    assert holdings.of(Config(rate=1, model=first)) == holdings.of(Config(model=again, rate=1))
    assert holdings.of(sequences[0]) == holdings.of(sequences[1]) is not None
    named = tf.keras.Model(model.inputs, {"a": hidden.output})
    others = [first, model, tf.keras.Model(model.inputs, model.outputs[1]), _layers()[1], named, sequences[0]]
    assert len({holdings.of(one) for one in others}) == len(others)
    again.temperature = 2.0
    assert holdings.of(first) != holdings.of(again)
    first.compile("sgd", "mse")
    assert holdings.of(first) is None


def test_a_model_made_anew_of_the_same_layers_would_do_whatever_else_is_passed(recording: RecordFixture) -> None:
    _, model = _layers()

    @tf.function
    def gradients(x: Any, scores: Any, index: int) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            score = scores(x)[:, index]
        return tape.gradient(score, x)

    with recording() as r:
        for index in range(2):
            gradients(tf.ones([4, 3]), tf.keras.Model(model.inputs, model.outputs[0]), index)
        gradients(tf.ones([5, 3]), tf.keras.Model(model.inputs, model.outputs[0]), 1)
        gradients(tf.ones([5, 3]), tf.keras.Model(model.inputs, model.outputs[1]), 0)
    assert [trace.verdict for trace in r.of("gradients")] == ["needed", "avoidable", "avoidable", "bounded"]


def test_a_function_that_is_made_with_such_a_model_could_be_made_once(recording: RecordFixture) -> None:
    _, model = _layers()

    def gradients(x: Any, outputs: Any) -> None:
        part = tf.keras.Model(model.inputs, outputs)

        @tf.function
        def compute(x: Any) -> Any:
            return tf.gradients(part(x), x)

        compute(x)

    with recording() as events:
        for place in (0, 0, 1, 0):
            gradients(tf.ones([4, 3]), model.outputs[place])
    verdicts = [trace.verdict for trace in events.traces if trace.function.name == "compute"]
    assert verdicts == ["needed", "avoidable", "bounded", "avoidable"]
    # operations have the model's name but for earlier versions of Keras, where the graph is the same
    assert IS_OLDEST or "`part` is a Keras model made again of the same layers" in events.traces[-1].evidence


def test_it_ends_of_what_holds_itself() -> None:
    one = Config()
    one.__dict__["own"] = one
    assert Holdings().of(one) is None


def test_one_graph_for_objects_that_hold_other_values_is_told(recording: RecordFixture) -> None:
    """An `__eq__` of all that they hold would not make them one."""
    kept = [Config(name=name, rate=0.5) for name in ("a", "b", "b")]

    @tf.function
    def scaled(x: Any, config: Any) -> Any:
        return x * config.rate

    with recording() as r:
        for config in kept:
            scaled(tf.ones([2]), config)
    told = [t.evidence.endswith("though it holds other values: one object would do.") for t in r.of("scaled")]
    assert told == [False, True, False]
    assert [t.verdict for t in r.of("scaled")] == ["needed", "avoidable", "avoidable"]


class Scaler:
    def __init__(self, power: int = 1) -> None:
        self.power = power

    @tf.function
    def scale(self, x: Any, rate: Any) -> Any:
        return x * rate

    @tf.function
    def raised(self, x: Any, rate: Any) -> Any:
        return x**self.power * rate


def kept() -> None:
    for rate in (0.5, 0.25):
        instance = Scaler()
        instance.scale(tf.ones([2]), rate)


def gone() -> None:
    for rate in (0.5, 0.25):
        Scaler().scale(tf.ones([2]), rate)  # gone before it is traced: TensorFlow passes None


def other() -> None:
    for power in (2, 3):
        instance = Scaler(power)
        instance.raised(tf.ones([2]), power / 8)


@pytest.mark.parametrize(("calls", "word"), [(kept, "avoidable"), (gone, "avoidable"), (other, "unknown")])
def test_an_instance_that_holds_the_same_would_do_whatever_else_is_passed(
    recording: RecordFixture, calls: Callable[[], None], word: str
) -> None:
    with recording() as r:
        calls()
    assert [trace.verdict for trace in r.traces] == ["needed", word]
