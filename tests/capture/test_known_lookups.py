"""Stale values behind lookups of Python's own and of libraries that are known to run nothing of the program's."""

from __future__ import annotations

import enum
import types
import weakref
from typing import Any

import pytest
import tensorflow as tf
from absl import flags

from tb_retrace_plugin.capture.session import stale_records
from tests.capture.conftest import Recorded, RecordFixture


class Mode(enum.Enum):
    WARM = 0.5
    COLD = 0.25


class OfItsOwn(enum.Enum):
    WARM = 0.5
    COLD = 0.25

    @property
    def value(self) -> Any:
        return 1.0


class Config:
    _one: Config | None = None

    def __init__(self) -> None:
        self.rate, self.scales = 0.5, {"a": 2.0}

    @classmethod
    def instance(cls) -> Config:
        if cls._one is None:
            cls._one = Config()
        return cls._one


CONFIG, OTHER = Config(), Config()


def config() -> Config:
    return CONFIG


def either(first: bool = True) -> Config:
    return CONFIG if first else OTHER


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_records, "_PAUSE_NS", 0)
    monkeypatch.setattr(stale_records, "_PAUSES", 0)  # however long a loaded machine took


def told(recorded: Recorded) -> list[tuple[str, str, str]]:
    return sorted((one.name, one.traced, one.now) for one in recorded.stale)


def test_what_a_weak_reference_leads_to(recording: RecordFixture) -> None:
    class Owner:
        def __init__(self) -> None:
            self.rate, self.scales = 0.5, {"a": 2.0}

        def doubled(self) -> float:
            return self.rate * 2

    class Step:
        def __init__(self, owner: Owner) -> None:
            self.owner = weakref.ref(owner)

        def made(self) -> Owner:
            return Owner()

        @tf.function
        def run(self, x: Any) -> Any:
            owner = self.owner()
            assert owner is not None
            return x * self.owner().doubled() * owner.scales["a"] * self.made().rate  # type: ignore[union-attr]

    owner = Owner()
    step = Step(owner)
    with recording() as recorded:
        assert step.run(tf.ones([])) == 1.0
        owner.rate, owner.scales["a"] = 1.0, 3.0
        assert step.run(tf.ones([])) == 1.0
    assert told(recorded) == [("self.owner().rate", "0.5", "1.0"), ("self.owner().scales['a']", "2.0", "3.0")]


def test_what_a_call_gives_that_gives_a_global_or_an_attribute(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Config, "_one", None)

    class Step:
        def __init__(self) -> None:
            self._config = Config()

        def config(self) -> Config:
            return self._config

        def given(self, of: Config) -> Config:
            return of

        @tf.function
        def run(self, x: Any) -> Any:
            own = self.config()
            given = self.given(own).rate + either().rate  # of which config, no one knows
            return x * own.rate * config().scales["a"] * Config.instance().rate + 0 * given

    step = Step()
    with recording() as recorded:
        assert step.run(tf.ones([])) == 0.5
        CONFIG.scales["a"], CONFIG.rate, Config.instance().rate, step._config.rate = 3.0, 0.75, 1.0, 2.0
        assert step.run(tf.ones([])) == 0.5
    assert told(recorded) == [
        ("Config.instance().rate", "0.5", "1.0"),
        ("config().scales['a']", "2.0", "3.0"),
        ("self.config().rate", "0.5", "2.0"),
    ]


def test_what_a_flag_of_absl_has_been_given(recording: RecordFixture) -> None:
    values = flags.FlagValues()
    flags.DEFINE_float("rate", 0.5, "", flag_values=values)
    values(["program"])

    @tf.function
    def step(x: Any) -> Any:
        return x * values.rate

    with recording() as recorded:
        assert step(tf.ones([])) == 0.5
        values.rate = 1.0
        assert step(tf.ones([])) == 0.5
    assert told(recorded) == [("values.rate", "0.5", "1.0")]


def test_the_value_of_another_member(recording: RecordFixture) -> None:
    state: dict[str, Any] = {"mode": Mode.WARM, "own": OfItsOwn.WARM}

    @tf.function
    def step(x: Any) -> Any:
        return x * state["mode"].value * state["own"].value

    with recording() as recorded:
        assert step(tf.ones([])) == 0.5
        state.update(mode=Mode.COLD, own=OfItsOwn.COLD)
        assert step(tf.ones([])) == 0.5
    assert told(recorded) == [("state['mode'].value", "0.5", "0.25")]


def test_a_dictionary_that_is_asked_for_one_key_is_not_read_whole(recording: RecordFixture) -> None:
    state: dict[str, Any] = {"rate": 0.5, "mode": Mode.WARM}
    skipped = ["a"]

    @tf.function
    def step(x: Any) -> Any:
        scale = state["rate"] if "rate" in state else 1.0  # noqa: SIM401
        return x * scale * (2.0 if "b" in skipped else 1.0)

    with recording() as recorded:
        assert step(tf.ones([])) == 0.5
        state["other"] = 1.0
        skipped.append("b")
        assert step(tf.ones([])) == 0.5
    assert told(recorded) == [("'b' in skipped", "False", "True")]


def test_a_key_that_a_method_makes_of_what_it_is_passed(recording: RecordFixture) -> None:
    class Net:
        def __init__(self) -> None:
            self.rates = {"rate_a": 0.5, "rate_b": 2.0, "rate_c": 1.0}

        def rate(self, name: str) -> float:
            return self.rates["rate_" + name]

        @tf.function
        def call(self, x: Any) -> Any:
            return x * self.rate("a") * self.rate("b")

    net = Net()
    with recording() as recorded:
        assert net.call(tf.ones([])) == 1.0
        net.rates.update(rate_a=3.0, rate_b=4.0, rate_c=5.0)
        assert net.call(tf.ones([])) == 1.0
    assert told(recorded) == [("self.rates['rate_a']", "0.5", "3.0"), ("self.rates['rate_b']", "2.0", "4.0")]


def test_a_setting_of_nested_settings(recording: RecordFixture) -> None:
    rate = types.SimpleNamespace(rate=0.5)
    config = types.SimpleNamespace(train=types.SimpleNamespace(optimizer={"schedule": rate}))

    class Net:
        def __init__(self) -> None:
            self.config = config

        @tf.function
        def call(self, x: Any) -> Any:
            return x * self.config.train.optimizer["schedule"].rate

    net = Net()
    with recording() as recorded:
        assert net.call(tf.ones([])) == 0.5
        rate.rate = 1.0
        assert net.call(tf.ones([])) == 0.5
    assert told(recorded) == [("self.config.train.optimizer['schedule'].rate", "0.5", "1.0")]
