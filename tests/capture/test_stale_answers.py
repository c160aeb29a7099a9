"""What Python was asked of a value while a function was traced, and would answer otherwise now."""

from __future__ import annotations

import collections
import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.session import stale_records
from tests.capture.conftest import RecordFixture
from tests.capture.test_stale_values import stale


class Holder:
    """Of settings."""


hooks: list[Any] = []
options: dict[str, float] = {}
table = np.ones([3, 2], np.float32)
weights = np.arange(4, dtype=np.float32)
gains = collections.OrderedDict(a=1.0, b=2.0)
name, rates = "gen", {"gen_rate": 0.5, "other_rate": 1.5}
low, high, kind, count = 5, 7, 1, 7


@pytest.fixture(autouse=True)
def _looked_at_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_records, "_PAUSE_NS", 0)
    monkeypatch.setattr(stale_records, "_PAUSES", 0)


@pytest.fixture(autouse=True)
def _values() -> Iterator[None]:
    global table, low, kind, count
    yield
    hooks.clear(), options.clear()
    table, weights[0], gains["a"], rates["gen_rate"] = np.ones([3, 2], np.float32), 0.0, 1.0, 0.5
    low, kind, count = 5, 1, 7


def _told(r: Any) -> set[tuple[str, str, str]]:
    return {(name, traced, now) for _, name, _, traced, now in stale(r)}


def test_whether_there_is_a_key_an_attribute_or_anything(recording: RecordFixture) -> None:
    holder = Holder()

    @tf.function
    def step(x: Any) -> Any:
        if hooks:
            x = x + 1.0
        if hasattr(holder, "scale"):
            x = x * holder.scale
        with contextlib.suppress(KeyError):
            x = x * options["late"]
        return x + getattr(holder, "bias", 0.0)

    @tf.function
    def other(x: Any) -> Any:
        cfg = options
        return x * 2.0 if "late" not in cfg else x

    @tf.function
    def tried(x: Any) -> Any:
        try:
            return x * options["late"]
        except KeyError:
            return x

    x = tf.ones([2])
    with recording() as r:
        step(x), other(x), tried(x)
        hooks.append(1)
        holder.scale, holder.bias, options["late"] = 2.0, 3.0, 4.0  # type: ignore[attr-defined]
        assert np.array_equal(step(x), x)
    assert [name for _, name, *_ in stale(r)].count("'late' in options") == 3
    assert _told(r) == {
        ("bool(hooks)", "False", "True"),
        ("hasattr(holder, 'scale')", "False", "True"),
        ("'late' in options", "False", "True"),
        ("holder.bias", "its default", "3.0"),
    }


def test_what_the_code_makes_itself_is_not_asked_for(recording: RecordFixture) -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.seen: dict[str, int] = {}
            self.made: list[int] = []

        @tf.function
        def step(self, x: Any) -> Any:
            if not hasattr(self, "w"):
                self.w = tf.Variable(2.0)
            if "x" not in self.seen:
                self.seen["x"] = 1
            if not self.made:
                self.made.append(1)
            return x * self.w

    net = Net()
    with recording() as r:
        net.step(tf.ones([2])), net.step(tf.ones([3]))
    assert stale(r) == []


def test_shapes_and_parts_of_arrays_and_ordered_dictionaries(recording: RecordFixture) -> None:
    global table

    @tf.function
    def step(x: Any) -> Any:
        for _, gain in gains.items():
            x = x * gain
        return x * table.shape[0] + weights[:2] * rates[f"{name}_rate"]

    x = tf.ones([2])
    with recording() as r:
        before = step(x)
        weights[3] = 9.0  # which is no part of it
        table, weights[0], gains["a"], rates["gen_rate"] = np.ones([4, 2], np.float32), 8.0, 5.0, 0.75
        assert np.array_equal(before, step(x))
    assert {name for name, *_ in _told(r)} == {"table.shape[0]", "weights[0]", "gains", "rates['gen_rate']"}


def test_other_values_that_give_the_same(recording: RecordFixture) -> None:
    """`high` is as large as before, and told where another one is."""
    global low, kind, count, high

    @tf.function
    def step(x: Any) -> Any:
        if isinstance(kind, int):
            x = x * max(low, high)
        return x[: count // 4] * 2.0 * np.clip(count / 4, 0.0, 1.0)

    x = tf.ones([2])
    with recording() as r:
        step(x)
        low, kind, count = 6, 2, 6
        step(x)
    assert stale(r) == []
    with recording() as r:
        step(tf.ones([3]))
        low, count = 9, 8
        step(x)
    assert _told(r) == {("low", "6", "9"), ("count", "6", "8")}


layers: list[Any] = []


def test_a_list_of_layers_that_lines_with_a_lambda_fill(recording: RecordFixture) -> None:
    """What else a lambda's line does is no part of what it does when it is called."""

    @tf.function
    def step(x: Any) -> Any:
        for layer in layers:
            x = layer(x)
        return x

    with recording() as r:
        for size in (2, 3, 4):
            layers.append(lambda x: x + 1.0)
            step(tf.ones([size]))
    assert {(name, traced) for _, name, _, traced, _ in stale(r)} == {("len(layers)", "1"), ("len(layers)", "2")}


seen: list[Any] = []
at_step = 0


def test_what_is_put_into_a_list_that_is_not_read(recording: RecordFixture) -> None:
    global at_step

    @tf.function
    def step(x: Any) -> Any:
        seen.append(at_step)
        return x * 2.0

    with recording() as r:
        step(tf.ones([2]))
        at_step = 5
        step(tf.ones([2]))
    assert stale(r) == []


def test_a_key_that_was_there_and_is_read_is_known_to_be(recording: RecordFixture) -> None:
    """Of the trace that found it, that it is there: which tells it from the one before."""

    @tf.function
    def step(x: Any) -> Any:
        try:
            return x * options["late"]
        except KeyError:
            return x

    with recording() as r:
        step(tf.ones([2]))
        options["late"] = 4.0
        step(tf.ones([3]))
        del options["late"]
        step(tf.ones([3]))
    assert [(seq, name, traced, now) for seq, name, _, traced, now in stale(r)] == [
        (1, "'late' in options", "False", "True"), (1, "'late' in options", "False", "False"),
        (2, "'late' in options", "True", "False"),
    ]  # fmt: skip


def test_which_number_is_the_largest(recording: RecordFixture) -> None:
    class Model:
        def __init__(self) -> None:
            self.sizes, self.counts = (3, 4), {1: "a", 3: "b"}

        @tf.function
        def padded(self, x: Any) -> Any:
            return tf.zeros([max(self.sizes), min(self.counts)]) + x

    model = Model()
    lengths, places, both = [4, 9, 1], np.array([1, 5, 2]), [1.0, 2.0]

    @tf.function
    def cut(x: Any) -> Any:
        longest = max(lengths)
        return x[:longest] + max(places)

    @tf.function
    def scaled(x: Any) -> Any:
        return x * max(both) / sum(both)

    with recording() as r:
        model.padded(1.0), cut(tf.ones([12], tf.int64)), scaled(tf.ones([2]))
        lengths[0], places[0] = 5, 4  # the largest are as they were
        both[0] = 0.5
        model.sizes, model.counts[2] = (2, 7), "c"
    assert _told(r) == {("max(self.sizes)", "4", "7"), ("both", "[1.0, 2.0]", "[0.5, 2.0]")}


class Stages:
    """Lists of which a loop reads how many they hold, or each by its place."""

    def __init__(self) -> None:
        self.sizes, self.names, self.rates, self.flags = [3, 4], ["a", "b"], [0.5, 2.0], [0, 1]

    def times(self, x: Any, sizes: Any) -> Any:
        for _ in sizes:
            x = x + 1.0
        return x

    @tf.function
    def counted(self, x: Any) -> Any:
        for place, _ in enumerate(self.sizes):
            x = x * float(place + 1)
        for name, rate in zip(self.names, self.rates):  # noqa: B905
            print("stage", name)
            x = x * rate
        return self.times(x, self.flags)

    @tf.function
    def by_places(self, x: Any) -> Any:
        for place in range(len(self.rates)):
            x = x * self.rates[place]
        return x + sum([self.sizes[place] for place, _ in enumerate(self.sizes)])

    @tf.function
    def decided(self, x: Any) -> Any:
        return x * 2.0 if any(self.flags) and not all(self.sizes) else x


def test_how_often_a_loop_runs_that_reads_no_item(recording: RecordFixture) -> None:
    stages, others = Stages(), Stages()
    with recording() as r:
        stages.counted(1.0), stages.decided(2.0), others.counted(3.0), others.decided(4.0), others.by_places(5.0)
        stages.sizes[0], stages.names[0], stages.flags[0] = 7, "c", 8  # as many, and as true
    assert stale(r) == []
    with recording() as r:
        for one in (stages, others):
            one.counted(6.0), one.decided(7.0)
        others.by_places(8.0)
        others.sizes.append(0), others.flags.clear(), others.rates.__setitem__(0, 9.0)
    assert {name for name, *_ in _told(r)} == {
        "len(self.sizes)", "self.rates", "len(self.flags)", "any(self.flags)", "all(self.sizes)", "self.sizes",
    }  # fmt: skip


def test_what_is_imported_later_is_nothing_of_the_programs(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    @tf.function
    def scaled(x: Any) -> Any:
        return x * (2.0 if "never_imported" in sys.modules else 1.0) + float(len(sys.path)) * len([*sys.modules])

    with recording() as r:
        scaled(tf.constant(1.0))
        monkeypatch.setitem(sys.modules, "never_imported", sys)
        monkeypatch.syspath_prepend("/never")
    assert stale(r) == []
