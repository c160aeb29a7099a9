"""Python values that a traced function read and that have changed since; the graph's own result is the oracle."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import enum
import functools
import gc
import importlib.util
import logging
import os
import sys
import types
import warnings
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.python_state.contents import code_of_function
from tb_retrace_plugin.capture.session import stale_records
from tb_retrace_plugin.schema.vocabulary import CHOSEN, CHOSEN_GLOBAL
from tests.capture.conftest import Recorded, RecordFixture

logger = logging.getLogger(__name__)
external: Any = 10
unread: Any = 1
calls = 0


class Settings:
    rate: float = 0.5

    def __init__(self) -> None:
        self.nested = {"not": "followed"}


settings = Settings()


def helper(x: Any) -> Any:
    return x * settings.rate


@pytest.fixture(autouse=True)
def _module_values() -> Any:
    global external, unread, calls, settings
    yield
    external, unread, calls, settings = 10, 1, 0, Settings()


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_records, "_PAUSE_NS", 0)
    monkeypatch.setattr(stale_records, "_PAUSES", 0)  # however long a loaded machine took


def stale(recorded: Recorded) -> list[tuple[int, str, str, str, str]]:
    return [(s.seq, s.name, s.kind, s.traced, s.now) for s in recorded.stale]


def test_a_global_that_changed_after_the_trace(recording: RecordFixture) -> None:
    global external, unread

    @tf.function
    def add(x: Any) -> Any:
        return x + external

    with recording() as r:
        assert add(tf.constant(1)) == 11
        external, unread = 100, 2
        assert add(tf.constant(1)) == 11  # the graph holds the old value
    assert stale(r) == [(1, "external", "global", "10", "100")]


def test_a_closure_value_and_its_change_back(recording: RecordFixture) -> None:
    word = "a"

    @tf.function
    def add(x: Any) -> Any:
        return tf.strings.join([x, word])

    other = tf.function(lambda x: x)
    with recording() as r:
        assert add(tf.constant("x")) == b"xa"
        word = "b"
        assert add(tf.constant("x")) == b"xa"
        other(1)  # at a later trace, of whatever function, values are compared
        word = "a"
        assert add(tf.constant("x")) == b"xa"
    assert stale(r) == [(1, "word", "closure", "'a'", "'b'"), (1, "word", "closure", "'a'", "'a'")]


def test_attributes_of_self_and_of_helpers(recording: RecordFixture) -> None:
    class Model:
        def __init__(self) -> None:
            self.training = True

        def scale(self, x: Any) -> Any:
            return x * 2.0 if self.training else x

        @tf.function
        def call(self, x: Any) -> Any:
            return helper(self.scale(x))

    model = Model()
    with recording() as r:
        assert model.call(tf.constant(1.0)) == 1.0
        model.training = False
        settings.rate = 3.0
        assert model.call(tf.constant(1.0)) == 1.0
    found = [(1, "self.training", "attribute", "True", "False"), (1, "settings.rate", "attribute", "0.5", "3.0")]
    assert sorted(stale(r)) == found


def test_what_helpers_of_helpers_read(recording: RecordFixture) -> None:
    """A controller, whose model's cost reads its goal, four calls further on."""

    class Cost:
        def __init__(self) -> None:
            self.goal = tf.constant(1.0)

        def final(self, x: Any) -> Any:
            return self.distance(x)

        def distance(self, x: Any) -> Any:
            return self.difference(x) ** 2

        def difference(self, x: Any) -> Any:
            return x - self.goal

    class Controller:
        def __init__(self) -> None:
            self.cost = Cost()

        @tf.function
        def act(self, x: Any) -> Any:
            return self.rollout(x)

        def rollout(self, x: Any) -> Any:
            return self.cost.final(x)

    controller = Controller()
    with recording() as r:
        assert controller.act(tf.constant(3.0)) == 4.0
        controller.cost.goal = tf.constant(2.0)
        assert controller.act(tf.constant(3.0)) == 4.0
    assert [(name, kind) for _, name, kind, _, _ in stale(r)] == [("self.cost.goal", "attribute")]


def test_attributes_of_an_object_that_a_function_is_made_of(recording: RecordFixture) -> None:
    class Scaled:
        rate = 2.0

        def __call__(self, x: Any) -> Any:
            return x * self.rate

    scaled = Scaled()
    step = tf.function(scaled)
    with recording() as r:
        step(tf.ones([2]))
        scaled.rate = 3.0
        step(tf.ones([2]))
    assert [(s.name, s.traced, s.now) for s in r.stale] == [("self.rate", "2.0", "3.0")]


def test_each_graph_has_the_value_of_its_own_trace(recording: RecordFixture) -> None:
    global external

    @tf.function
    def add(x: Any) -> Any:
        return x + external

    with recording() as r:
        add(tf.constant([1]))
        external = 20
        assert list(add(tf.constant([1, 2])).numpy()) == [21, 22]
        external = 30
        assert list(add(tf.constant([1])).numpy()) == [11]
        assert list(add(tf.constant([1, 2])).numpy()) == [21, 22]
    last = {(s.seq, s.name): (s.traced, s.now) for s in r.stale}
    assert last == {(1, "external"): ("10", "30"), (2, "external"): ("20", "30")}


def test_what_the_function_itself_assigns_is_not_stale(recording: RecordFixture) -> None:
    made: Any = None

    @tf.function
    def count(x: Any) -> Any:
        global calls
        nonlocal made
        calls += 1
        if made is None:
            made = tf.Variable(1.0)
        return made * x

    with recording() as r:
        for length in (1, 2, 3):
            count(tf.ones([length]))
    assert calls == 4
    assert stale(r) == []


def test_what_runs_at_each_execution_is_not_stale(recording: RecordFixture) -> None:
    """A function that is passed on may read the value of then: nothing is claimed of it."""
    global external

    def read() -> Any:
        return external

    @tf.function
    def fresh(x: Any) -> Any:
        first = tf.py_function(lambda: external, [], tf.int32)
        return first + tf.py_function(read, [], tf.int32) + x

    with recording() as r:
        assert fresh(tf.constant(1)) == 21
        external = 100
        assert fresh(tf.constant(1)) == 201
    assert stale(r) == []


def scaled_by_it(x: Any) -> Any:
    return x * external


def test_what_a_strategy_or_map_fn_runs_is_read_at_once(recording: RecordFixture) -> None:
    """Passed by the name of a global: it runs while the function is traced."""
    global external
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    @tf.function
    def distributed(x: Any) -> Any:
        return strategy.run(scaled_by_it, args=(x,))

    @tf.function
    def mapped(x: Any) -> Any:
        return tf.map_fn(scaled_by_it, x)

    with recording() as r:
        distributed(tf.constant(1))
        mapped(tf.constant([1]))
        external += 1
    assert [one[1] for one in stale(r)] == ["external", "external"]


def test_comprehensions_and_called_helpers_are_read_at_once(recording: RecordFixture) -> None:
    global external

    def read() -> Any:
        return external

    @tf.function
    def listed(x: Any) -> Any:
        return x + sum([external for _ in range(2)])

    @tf.function
    def helped(x: Any) -> Any:
        return x + read()

    with recording() as r:
        listed(tf.constant(1))
        helped(tf.constant(1))
        external = 100
        assert listed(tf.constant(1)) == 21
        assert helped(tf.constant(1)) == 11
    assert stale(r) == [(seq, "external", "global", "10", "100") for seq in (1, 2)]


def test_equal_values_and_dead_functions_are_not_stale(recording: RecordFixture) -> None:
    global external

    def make() -> Any:
        @tf.function
        def add(x: Any) -> Any:
            return x + external + tf.cast(float("nan"), tf.float32)

        return add

    with recording() as r:
        function = make()
        function(1.0)
        del function
        external = 100
    assert stale(r) == []


def test_nothing_of_the_users_is_run(recording: RecordFixture) -> None:
    global settings

    class Hostile:
        @property
        def rate(self) -> float:
            raise AssertionError("a property was run")

        def __getattr__(self, name: str) -> Any:
            raise AssertionError("__getattr__ was run")

    @tf.function
    def scaled(x: Any) -> Any:
        return x * settings.rate

    with recording() as r:
        scaled(tf.constant(1.0))
        settings = Hostile()  # type: ignore[assignment]
    assert stale(r) == [(1, "settings.rate", "attribute", "0.5", "property object")]


def test_eager_runs_are_said(recording: RecordFixture) -> None:
    tf.config.run_functions_eagerly(True)
    try:
        with recording() as r:
            tf.function(lambda x: x + 1)(tf.constant(1))
    finally:
        tf.config.run_functions_eagerly(False)
    assert r.traces == []
    assert r.ends[-1].functions_run_eagerly
    with recording() as r:
        tf.function(lambda x: x + 1)(tf.constant(1))
    assert not r.ends[-1].functions_run_eagerly


def test_attributes_of_objects_that_are_called(recording: RecordFixture) -> None:
    """Each by the name that the code around has for it."""

    class Block(keras.layers.Layer):
        def __init__(self, rate: float) -> None:
            super().__init__()
            self.rate = rate

        def call(self, x: Any) -> Any:
            return x * self.rate

    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Block(2.0), Block(3.0)

        def call(self, x: Any) -> Any:
            return self.second(self.first(x))

    class Loss:
        weight = 1.0

        def __call__(self, y: Any) -> Any:
            return y * self.weight

    class Trainer:
        def __init__(self) -> None:
            self.model, self.loss = Net(), Loss()

        @tf.function
        def step(self, x: Any) -> Any:
            return self.loss(self.model(x))

    trainer = Trainer()
    with recording() as r:
        assert trainer.step(tf.constant(1.0)) == 6.0
        trainer.model.second.rate = 5.0
        trainer.loss.weight = 0.5
        assert trainer.step(tf.constant(1.0)) == 6.0
    assert sorted(found[1:] for found in stale(r)) == [
        ("self.loss.weight", "attribute", "1.0", "0.5"),
        ("self.model.second.rate", "attribute", "3.0", "5.0"),
    ]


@tf.custom_gradient  # type: ignore[untyped-decorator]
def with_gradient(x: Any) -> Any:
    return x * external, lambda dy: dy


class Above:
    def scaled(self, x: Any) -> Any:
        return x * self.k  # type: ignore[attr-defined]


class Inner(Above):
    """Each reads `k`, or `K`, of its own, in a function that is not the traced one."""

    K = 2.0

    def __init__(self) -> None:
        self.k = 3.0

    def helper(self, x: Any) -> Any:
        return x * self.k

    @classmethod
    def by_class(cls, x: Any) -> Any:
        return x * cls.K

    @property
    def gain(self) -> float:
        return self.k

    @tf.function
    def inner_function(self, x: Any) -> Any:
        def loss() -> Any:
            return x * self.k

        return loss()

    @tf.function
    def inner_lambda(self, x: Any) -> Any:
        scaled = lambda y: y * self.k  # noqa: E731
        return scaled(x)

    @tf.function
    def branches(self, x: Any) -> Any:
        return tf.cond(x > 0, lambda: x * self.k, lambda: x)

    @tf.function
    def beside_one(self, x: Any) -> Any:
        """`self` is a cell, for the function's sake."""
        later = lambda y: y + self.other  # noqa: E731
        return tf.py_function(later, [x], tf.float32) * self.k

    @tf.function
    def comprehension(self, x: Any) -> Any:
        return tf.add_n([self.helper(x) for _ in range(2)])

    @tf.function
    def property_of_it(self, x: Any) -> Any:
        return x * self.gain

    @tf.function
    def class_method(self, x: Any) -> Any:
        return self.by_class(x)

    def scaled(self, x: Any) -> Any:
        return super().scaled(x) + 1.0

    @tf.function
    def of_a_class_above(self, x: Any) -> Any:
        return self.scaled(x)

    def scaled_as_python_2_has_it(self, x: Any) -> Any:
        above = super(Inner, self)  # noqa: UP008
        return super(Inner, self).scaled(x) + above.scaled(x)  # noqa: UP008

    @tf.function
    def of_a_class_above_by_name(self, x: Any) -> Any:
        return self.scaled_as_python_2_has_it(x)

    @tf.function
    def by_getattr(self, x: Any) -> Any:
        return x * getattr(self, "k")  # noqa: B009

    @tf.function
    def by_getattr_or_else(self, x: Any) -> Any:
        return x * getattr(self, "k", 1)

    @tf.function
    def called_where_it_is_made(self, x: Any) -> Any:
        return (lambda y: y * self.k)(x) + (lambda y: y)(x)

    @tf.function
    def with_a_gradient(self, x: Any) -> Any:
        @tf.custom_gradient
        def scaled(y: Any) -> Any:
            return y * self.k, lambda dy: dy

        return scaled(x)

    @tf.function
    def by_a_partial(self, x: Any) -> Any:
        return self.helped(x)  # type: ignore[attr-defined]


_WHERE_CALLS_ARE_TOLD = ("inner_function", "inner_lambda", "called_where_it_is_made")
_ABOVE_AND_BESIDE = ("of_a_class_above", "with_a_gradient", "by_getattr", "by_getattr_or_else", "by_a_partial")


@pytest.mark.parametrize(
    ("method", "name"),
    [
        *[(method, "self.k") for method in ("branches", "beside_one", "comprehension", "property_of_it")],
        ("class_method", "Inner.K"),
        *[(method, "self.k") for method in _ABOVE_AND_BESIDE],
        *[(method, "self.k") for method in _WHERE_CALLS_ARE_TOLD],
        pytest.param(
            "of_a_class_above_by_name",
            "self.k",
            marks=pytest.mark.xfail(sys.version_info < (3, 11), reason="code has no qualified name", strict=True),
        ),
    ],
)
def test_what_functions_read_that_run_with_the_traced_one(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch, method: str, name: str
) -> None:
    inner: Any = Inner()
    inner.other = 1.0
    inner.helped = functools.partial(Inner.helper, inner)
    with recording() as r:
        first = getattr(inner, method)(tf.constant(1.0))
        inner.k = 5.0
        monkeypatch.setattr(Inner, "K", 9.0)
        assert getattr(inner, method)(tf.constant(1.0)) == first  # it is stale indeed
    assert [found[1] for found in stale(r)] == [name]


def test_what_is_only_printed_is_in_no_graph(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    @tf.function
    def quiet(x: Any) -> Any:
        if external:
            print("tracing", unread)
        rate, _gain = float(external), {"gain": calls}
        seen = rate * unread
        logger.debug("with %s", seen)
        with tf.name_scope(f"of_{calls}"):
            return x + 1.0

    @tf.function
    def unheard(x: Any) -> Any:
        _rate = external
        if external:
            text = f"tracing {unread}"
            for each in (calls, unread):
                print(text, each)
        return x + 1.0

    @tf.function
    def used(x: Any) -> Any:
        rate = external
        total = rate + 1.0
        _state = x.assign(unread) if hasattr(x, "assign") else None
        return x * total

    @tf.function
    def heard(x: Any) -> Any:
        print("tracing with", external)
        tf.print(unread)
        if external > 1:
            print("large")
            x = x + 1.0
        if external > 50:
            x = x + 2.0
        return x

    @tf.function
    def names(x: Any) -> Any:
        return tf.identity(x, name=f"of_{unread}")

    @tf.function
    def names_what_is_written(x: Any) -> Any:
        tf.summary.scalar(name=f"of_{unread}", data=x, step=0)
        return x

    with recording() as r:
        for function in (quiet, heard, names, names_what_is_written, unheard, used):
            function(tf.constant(1.0))
        for name in ("external", "unread", "calls"):
            monkeypatch.setitem(globals(), name, 100)
    assert sorted(found[:2] for found in stale(r)) == [
        (2, "external"), (2, "unread"), (4, "unread"), (6, "external"), (6, "unread"),
    ]  # fmt: skip


def says(text: str, value: Any, *, end: str = "") -> None:
    print(text, f"{value:>3}", end=end)


class Speaking:
    def __init__(self) -> None:
        self.one, self.two, self.three = 2.0, 3.0, 4.0

    def say(self, x: Any, one: Any, two: Any) -> Any:
        print("with", one, two)
        return x * two

    def three_times(self) -> float:
        return self.three

    @tf.function
    def step(self, x: Any) -> Any:
        says("of", external)
        says(f"{unread}", self.three_times(), end=f"{calls}")
        return self.say(x, self.one + unread, two=self.two)


def test_what_a_helper_of_the_users_only_prints(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not so what else is called for it, of which it is not known what it does."""
    speaking = Speaking()
    with recording() as r:
        speaking.step(tf.constant(1.0))
        speaking.one = speaking.two = speaking.three = 9.0
        for name in ("external", "unread", "calls"):
            monkeypatch.setitem(globals(), name, 100)
    assert {found[1] for found in stale(r)} == {"self.two", "self.three"}


#: Not here: pytest writes an `assert` of this module anew.
_ASSERTS = """
import tensorflow as tf

LIMIT, RATE = 3, 2.0

@tf.function
def asserts(x):
    assert x.shape[0] < LIMIT, "too many"
    return x * RATE
"""


def test_what_is_asserted_is_in_no_graph(recording: RecordFixture, tmp_path: Path) -> None:
    (tmp_path / "asserting.py").write_text(_ASSERTS, "utf-8")
    spec = importlib.util.spec_from_file_location("asserting", tmp_path / "asserting.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with recording() as r:
        module.asserts(tf.ones([2]))
        module.LIMIT = module.RATE = 0
        assert module.asserts(tf.ones([2]))[0] == 2.0
    assert [found[1] for found in stale(r)] == ["RATE"]


def test_a_graph_that_nothing_can_run_any_more_is_not_stale(recording: RecordFixture) -> None:
    global external

    def add(x: Any) -> Any:
        return x + external

    with recording() as r:
        function = tf.function(add)
        function(tf.constant(1))
        external = 100
        function = tf.function(add)
        gc.collect()
        assert function(tf.constant(1)) == 101
    assert stale(r) == []


def test_one_within_another_graph_is(recording: RecordFixture) -> None:
    global external

    def add(x: Any) -> Any:
        return x + external

    @tf.function
    def outer(x: Any) -> Any:
        return tf.function(add)(x)

    with recording() as r:
        outer(tf.constant(1))
        external = 100
        gc.collect()
        assert outer(tf.constant(1)) == 11
    assert [found[1] for found in stale(r)] == ["external"]


def test_a_function_that_an_object_holds_is_not_bound_to_it(recording: RecordFixture) -> None:
    class Config:
        scale: float = 2.0

        def __init__(self) -> None:
            self.apply = lambda given: given.scale * 2.0  # of its argument, not of what holds it

    class Argument:
        scale: float = 1.0

    config, argument = Config(), Argument()

    @tf.function
    def step(x: Any) -> Any:
        return x * config.apply(argument)

    with recording() as r:
        assert step(tf.constant(1.0)) == 2.0
        config.scale = 3.0
        step(tf.constant(1.0))
    assert stale(r) == []


class Options:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.loss, self.unread = "mse", 0


def test_an_attribute_of_an_argument_that_changed_after_the_trace(recording: RecordFixture) -> None:
    @tf.function
    def step(x: Any, options: Any, *, more: Any) -> Any:
        scaled = tf.cond(x > 0, lambda: x * more.rate, lambda: x)
        return scaled * options.rate

    first, second = Options(2.0), Options(3.0)
    with recording() as r:
        assert step(tf.constant(1.0), first, more=first) == 4.0
        assert step(tf.constant(1.0), second, more=first) == 6.0
        first.rate, first.unread = 5.0, 1
        assert step(tf.constant(1.0), first, more=first) == 4.0  # the graph's
    assert sorted(stale(r)) == [
        (1, "more.rate", "attribute", "2.0", "5.0"), (1, "options.rate", "attribute", "2.0", "5.0"),
        (2, "more.rate", "attribute", "2.0", "5.0"),
    ]  # fmt: skip


class Attributes(dict[str, Any]):
    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


MODES = Attributes(rate=2.0, inner=Attributes(name="Train"))


def test_items_of_a_dictionary_that_are_read_as_attributes_and_texts_by_their_methods(recording: RecordFixture) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * MODES.rate if MODES.inner.name.lower() == "train" else x

    with recording() as r:
        assert step(tf.constant(1.0)) == 2.0
        MODES.rate, MODES.inner.name = 5.0, "eval"
        assert step(tf.constant(1.0)) == 2.0  # the graph's
        MODES.other = 1
    assert sorted(stale(r)) == [
        (1, "MODES.inner.name", "attribute", "'Train'", "'eval'"),
        (1, "MODES.rate", "attribute", "2.0", "5.0"),
    ]  # fmt: skip


def at_the_rate_of(x: Any, options: Options) -> Any:
    return x * options.rate


def test_so_it_is_of_what_lies_in_a_container_that_is_passed(recording: RecordFixture) -> None:
    """What is plain in it TensorFlow compares itself."""

    @tf.function
    def step(x: Any, spec: Any, pair: Any) -> Any:
        inner = spec["inner"]
        return at_the_rate_of(x * spec["gain"] * inner.rate, pair[0]["more"])

    @tf.function
    def first(spec: Any, x: Any) -> Any:
        spec = dict(spec)
        return x * spec["inner"].rate

    one, other = Options(2.0), Options(3.0)
    spec = {"gain": 0.5, "inner": one}
    with recording() as r:
        assert step(tf.constant(1.0), spec, [{"more": other}]) == 3.0
        first(spec, tf.constant(1.0))
        one.rate, other.rate, spec["gain"] = 5.0, 7.0, 1.0
        assert step(tf.constant(1.0), {"gain": 0.5, "inner": one}, [{"more": other}]) == 3.0  # the graph's
        gone = weakref.ref(one)
        del one, spec
        gc.collect()
        assert gone() is None
    assert sorted(stale(r)) == [
        (1, "pair[0]['more'].rate", "attribute", "3.0", "7.0"),
        (1, "spec['inner'].rate", "attribute", "2.0", "5.0"),
    ]  # fmt: skip


def test_the_first_argument_of_a_function_and_of_a_static_method(recording: RecordFixture) -> None:
    class Steps:
        @staticmethod
        @tf.function
        def scaled(options: Any, x: Any) -> Any:
            return x * options.rate

    @tf.function
    def shifted(options: Any, x: Any) -> Any:
        return x + options.rate

    options = Options(2.0)
    with recording() as r:
        assert Steps.scaled(options, tf.constant(1.0)) == 2.0
        assert shifted(options, tf.constant(1.0)) == 3.0
        options.rate = 5.0
        assert Steps.scaled(options, tf.constant(1.0)) == 2.0
    assert [found[1:] for found in stale(r)] == [("options.rate", "attribute", "2.0", "5.0")] * 2


def test_of_an_argument_nothing_else_is_told(recording: RecordFixture) -> None:
    """Given another value, counted by the function itself, or an object that is gone."""

    @tf.function
    def given_another(x: Any, options: Any) -> Any:
        options = Options(7.0)
        return x * options.rate

    @tf.function
    def counts(x: Any, options: Any) -> Any:
        options.unread += 1
        return x * 2.0

    @tf.function
    def of_a_temporary(x: Any, options: Any) -> Any:
        return x * options.rate

    @tf.function
    def of_a_tensor(x: Any) -> Any:
        return x * float(x.shape[0])

    options = Options(2.0)
    with recording() as r:
        given_another(tf.constant(1.0), options)
        counts(tf.constant(1.0), options)
        of_a_temporary(tf.constant(1.0), Options(3.0))
        of_a_tensor(tf.ones([2]))
        options.rate = 5.0
        gc.collect()
        of_a_tensor(tf.ones([3]))
    assert stale(r) == []


def test_an_argument_is_not_kept_alive(recording: RecordFixture) -> None:
    @tf.function
    def step(x: Any, options: Any) -> Any:
        return x * options.rate

    options = Options(2.0)
    gone = weakref.ref(options)
    with recording():
        step(tf.constant(1.0), options)
        del options
        gc.collect()
        assert gone() is None


class CustomStep(keras.Model):
    """`fit` runs its `train_step`, `predict` its `call` alone."""

    def __init__(self) -> None:
        super().__init__()
        self.factor, self.offset, self.unused = 2.0, 0.0, 1

    def call(self, x: Any) -> Any:
        return x + self.offset

    def train_step(self, data: Any) -> Any:
        return {"total": tf.reduce_sum(self(data)) * self.factor}

    def test_step(self, data: Any) -> Any:
        return {"total": tf.reduce_sum(data) * self.factor}


def total(model: Any) -> float:
    data = tf.data.Dataset.from_tensors(tf.ones([2]))
    return float(model.fit(data, verbose=0).history["total"][-1])


def predicted(model: Any) -> list[float]:
    result: list[float] = model.predict(tf.data.Dataset.from_tensors((tf.ones([2]),)), verbose=0).tolist()
    return result


def run_all_steps(model: Any) -> None:
    assert total(model) == 4.0
    assert predicted(model) == [1.0, 1.0]
    model.evaluate(tf.data.Dataset.from_tensors(tf.ones([2])), verbose=0)


def test_a_keras_model_whose_attributes_changed(recording: RecordFixture) -> None:
    model = CustomStep()
    model.compile()
    with recording() as r:
        run_all_steps(model)
        model.factor, model.unused = 3.0, 2
        assert total(model) == 4.0  # the graph holds the old one
    names = {t.seq: t.function.name for t in r.traces}
    assert [found[1:] for found in stale(r)] == [("model.factor", "attribute", "2.0", "3.0")] * 2
    assert {names[found[0]] for found in stale(r)} == {"one_step_on_data"}


def test_what_a_keras_model_reads_in_its_call(recording: RecordFixture) -> None:
    """In the steps that call it: `predict`'s is Keras' own, `evaluate`'s does not."""
    model = CustomStep()
    model.compile()
    with recording() as r:
        run_all_steps(model)
        model.offset = 1.0
        assert total(model) == 4.0
        assert predicted(model) == [1.0, 1.0]
    names = {t.seq: t.function.name for t in r.traces}
    found = [(names[seq], *rest) for seq, *rest in stale(r)]
    steps = ("one_step_on_data", "one_step_on_data_distributed")  # of `fit` and of `predict`
    expected = [(name, "model.offset", "attribute", "0.0", "1.0") for name in steps]
    assert found == expected


def test_a_keras_model_that_was_compiled_again_is_not_stale(recording: RecordFixture) -> None:
    model = CustomStep()
    with recording() as r:
        for factor in (2.0, 3.0):
            model.factor = factor
            model.compile()
            assert total(model) == 2.0 * factor
    assert stale(r) == []


def test_one_that_was_used_before_it_was_compiled_again_is_not_any_more(recording: RecordFixture) -> None:
    model = CustomStep()
    with recording() as r:
        model.compile()
        assert total(model) == 2.0 * model.factor
        model.factor = 5.0
        tf.function(lambda: 1)()  # a trace: values are compared
        model.compile()
        assert total(model) == 10.0
    (told, taken_back) = stale(r)
    assert (told[3:], taken_back[3:]) == (("2.0", "5.0"), ("2.0", "2.0"))


class Scaled(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="scaled")
        self.factor, self.calls, self.unused = 2.0, 0, 1

    def call(self, x: Any) -> Any:
        self.calls += 1
        return x * self.factor

    def compute_output_shape(self, shape: Any) -> Any:
        return shape


def test_what_layers_of_a_functional_model_read(recording: RecordFixture) -> None:
    """Of one within another, too."""
    layer, unused = Scaled(), Scaled()
    inputs = keras.Input((2,))
    inner = keras.Sequential([keras.Input((2,)), layer])
    outer = keras.Model(inputs, keras.layers.Flatten()(inner(inputs)))
    unused(inputs)
    with recording() as r:
        for model in (inner, outer):
            assert model.predict_on_batch(tf.ones([1, 2])).tolist() == [[2.0, 2.0]]
        layer.factor = layer.unused = unused.factor = 3.0
        for model in (inner, outer):
            assert model.predict_on_batch(tf.ones([1, 2])).tolist() == [[2.0, 2.0]]  # the graph holds the old one
    assert [found[1:] for found in stale(r)] == [("scaled.factor", "attribute", "2.0", "3.0")] * 2


class ScaledWithALoss(Scaled):
    def call(self, x: Any) -> Any:
        self.add_loss(self.factor * tf.reduce_mean(x))
        return x


def test_a_layer_that_calls_keras_own_methods_of_itself(recording: RecordFixture) -> None:
    layer = ScaledWithALoss()
    model = keras.Sequential([keras.Input((2,)), layer])
    model.compile("sgd", "mse")
    with recording() as r:
        model.train_on_batch(tf.ones([1, 2]), tf.ones([1, 2]))
        layer.factor = 3.0
        model.train_on_batch(tf.ones([1, 2]), tf.ones([1, 2]))  # the graph holds the old one
    assert [found[1:] for found in stale(r)] == [(f"{layer.name}.factor", "attribute", "2.0", "3.0")]
    assert not any(r.losses.values())


class ScaledInTraining(Scaled):
    def call(self, x: Any, training: bool = False) -> Any:
        return x * self.factor if training else x


@pytest.mark.parametrize(
    ("given", "read"), [({}, "tested"), ({"training": False}, "tested"), ({"training": True}, "noise")]
)
def test_what_a_model_reads_that_is_made_a_function_itself(
    recording: RecordFixture, given: dict[str, bool], read: str
) -> None:
    class Net(keras.Model):
        def __init__(self) -> None:
            super().__init__(name="net")
            self.rate = self.noise = self.tested = 2.0

        def call(self, x: Any, training: bool = False) -> Any:
            x = x * (self.noise if training else self.tested)
            return x * self.rate

    net, scaled = Net(), Scaled()
    model = keras.Sequential([keras.Input((2,)), scaled, keras.layers.Dropout(0.5, name="drop")])
    functions = [tf.function(net), tf.function(model)]
    with recording() as recorded:
        for function in functions:
            function(tf.ones([2, 2]), **given)
        net.rate = net.noise = net.tested = scaled.factor = 3.0
        model.layers[1].rate = 0.25
    drop = {"drop.rate": ("0.5", "0.25")} if given.get("training") else {}
    names = [f"net.{read}", "net.rate", "scaled.factor"]
    assert {one.name: (one.traced, one.now) for one in recorded.stale} == dict.fromkeys(names, ("2.0", "3.0")) | drop


def test_what_layers_of_a_functional_model_read_that_the_users_code_calls(recording: RecordFixture) -> None:
    """Without a word on `training`: what asks for that may have gone another way."""
    layer, asking = Scaled(), ScaledInTraining()
    inputs = keras.Input((2,))
    regular = keras.layers.Dense(2, "relu", kernel_regularizer=keras.regularizers.L2(0.5), kernel_initializer="ones")
    model = keras.Model(inputs, regular(keras.Sequential([asking])(layer(inputs))))

    @tf.function
    def predicted(x: Any) -> Any:
        return model(x)

    @tf.function
    def loss(x: Any) -> Any:
        model(x)
        return sum(model.losses)

    with recording() as r:
        assert predicted(tf.ones([1, 2])).numpy().tolist() == [[4.0, 4.0]]
        assert float(loss(tf.ones([1, 2]))) == 2.0
        layer.factor = asking.factor = 3.0
        regular.kernel_regularizer.l2 = 1.0
        assert predicted(tf.ones([1, 2])).numpy().tolist() == [[4.0, 4.0]]
        assert float(loss(tf.ones([1, 2]))) == 2.0
    read = f"{regular.name}.kernel_regularizer.l2"
    assert sorted(found[:2] for found in stale(r)) == sorted([(1, "scaled.factor"), (2, "scaled.factor"), (2, read)])
    assert [found[3:] for found in stale(r) if found[1] == read] == [("0.5", "1.0")]


def loss_of(model: Any, x: Any) -> Any:
    return tf.reduce_sum(model(x)) * model.weight


def gradient_of(model: Any, x: Any) -> Any:
    with tf.GradientTape():
        return loss_of(model, x)


class Weighted(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.gain = self.weight = 1.0

    def call(self, x: Any) -> Any:
        return x * self.gain


def test_what_a_function_hands_on_to_its_helpers(recording: RecordFixture) -> None:
    """By the name that the function itself has for it; not where it hands on several by turns."""
    model, other, third = Weighted(), Weighted(), Weighted()
    kept = {"net": third}

    @tf.function
    def closing(x: Any) -> Any:
        return gradient_of(model, x)

    @tf.function
    def passed(net: Any, x: Any) -> Any:
        return gradient_of(x=x, model=net)

    @tf.function
    def both(x: Any) -> Any:
        return loss_of(other, x) + loss_of(kept["net"], x)

    @tf.function
    def of_an_item(x: Any) -> Any:
        return loss_of(kept["net"], x)

    x = tf.ones([2])
    with recording() as r:
        calls = (closing, functools.partial(passed, model), both, of_an_item)
        before = [float(call(x)) for call in calls]
        model.gain, model.weight, other.gain, third.gain = 2.0, 3.0, 4.0, 5.0
        assert [float(call(x)) for call in calls] == before  # each graph holds the old ones
    told: dict[int, list[tuple[str, str, str]]] = {}
    for found in stale(r):
        told.setdefault(found[0], []).append((found[1], *found[3:]))
    names = {trace.seq: trace.function.name for trace in r.traces}
    assert {names[seq]: sorted(found) for seq, found in told.items()} == {
        "closing": [("model.gain", "1.0", "2.0"), ("model.weight", "1.0", "3.0")],
        "passed": [("net.gain", "1.0", "2.0"), ("net.weight", "1.0", "3.0")],
        "of_an_item": [("kept['net'].gain", "1.0", "5.0")],
    }


def of_options(x: Any, options: Any, table: Any) -> Any:
    return x * options.rate * table["scale"] + inner_of(options)


def inner_of(options: Any) -> Any:
    return options.inner.bias


def counting(x: Any, options: Any) -> Any:
    options.calls = options.calls + 1
    return x * options.calls


OPTIONS = types.SimpleNamespace(rate=1.0, inner=types.SimpleNamespace(bias=0.0), calls=0)


def test_what_a_function_hands_on_that_is_no_argument_of_its_own(recording: RecordFixture) -> None:
    """Objects and dictionaries that are globals, closed over, or attributes; also where they are replaced."""
    global OPTIONS

    class Held(tf.Module):
        def __init__(self) -> None:
            self.options, self.table = (
                types.SimpleNamespace(rate=1.0, inner=types.SimpleNamespace(bias=1.0)),
                {"scale": 2.0},
            )

        @tf.function
        def by_attributes(self, x: Any) -> Any:
            return of_options(x, self.options, self.table)

    table, held = {"scale": 1.0, "other": 1.0}, Held()

    @tf.function
    def by_names(x: Any) -> Any:
        return of_options(x, OPTIONS, table)

    @tf.function
    def counted(x: Any) -> Any:
        return counting(x, OPTIONS)

    x = tf.ones([])
    with recording() as r:
        calls = by_names, held.by_attributes, counted
        before = [float(call(x)) for call in calls]
        OPTIONS = types.SimpleNamespace(rate=3.0, inner=types.SimpleNamespace(bias=4.0), calls=7)
        table.update(scale=5.0, other=6.0)
        held.options.rate, held.table = 7.0, {"scale": 8.0}
        assert [float(call(x)) for call in calls] == before
    names = {trace.seq: trace.function.name for trace in r.traces}
    assert {(names[found[0]], found[1], *found[3:]) for found in stale(r)} == {
        ("by_names", "OPTIONS.rate", "1.0", "3.0"),
        ("by_names", "OPTIONS.inner.bias", "0.0", "4.0"),
        ("by_names", "table['scale']", "1.0", "5.0"),
        ("by_attributes", "self.options.rate", "1.0", "7.0"),
        ("by_attributes", "self.table['scale']", "2.0", "8.0"),
    }


def test_items_of_dictionaries_and_lists(recording: RecordFixture) -> None:
    """By keys that are written out; a `__getitem__` or a `__missing__` of the user's is not run."""

    class Asked(dict[str, float]):
        def __getitem__(self, key: str) -> float:
            if is_over:
                raise AssertionError
            return 1.0

    is_over = False
    config: dict[str, Any] = {"rates": [0.5, 2.0], "count": 0, "loss": 1.0}
    asked = Asked(rate=1.0)

    class Model(tf.Module):
        def __init__(self) -> None:
            self.options = {"scale": 3.0}

        @tf.function
        def call(self, x: Any) -> Any:
            config["count"] += 1
            return x * config["rates"][-1] * self.options["scale"] * asked["rate"] + config["loss"]

    model = Model()
    with recording() as r:
        assert model.call(tf.constant(1.0)) == 7.0
        is_over = True
        config["rates"][-1], config["loss"] = 4.0, 2.0
        model.options["scale"] = 5.0
        asked["rate"] = 2.0
        assert model.call(tf.constant(1.0)) == 7.0
        del config["rates"]  # nothing is known of it then
    assert sorted(stale(r)) == [
        (1, "config['loss']", "closure", "1.0", "2.0"), (1, "self.options['scale']", "attribute", "3.0", "5.0"),
    ]  # fmt: skip


def test_parts_of_arrays_and_an_item_by_none(recording: RecordFixture) -> None:
    """As they are written; what lies beside them is none of the graph's."""
    table = np.ones((4, 3), np.float32)
    whole = np.ones(3, np.float32)

    class Model(tf.Module):
        def __init__(self) -> None:
            self.means = np.ones((2, 4), np.float32)
            self.large = np.ones((400, 400), np.float32)
            self.rates = {None: 1.0, "slow": 0.5}

        @tf.function
        def call(self, x: Any) -> Any:
            x = tf.reduce_sum(x * self.means[:, 1:-1]) + table[1:3] * self.rates[None] + self.large[:2, ..., 7:8]
            return tf.reduce_sum(x) * tf.reduce_sum(whole[None, :])

    model = Model()
    with recording() as r:
        model.call(tf.constant(1.0))
        model.means[:, 0], table[0], model.large[5], model.rates["slow"] = 9.0, 9.0, 9.0, 9.0
        model.call(tf.constant(1.0))
        assert stale(r) == []
        model.means = model.means * 2.0
        table[1], model.large[1, 7], model.rates[None], whole[0] = 8.0, 8.0, 8.0, 8.0
    told = [(name, kind) for _, name, kind, _, _ in sorted(stale(r))]
    assert told == [
        ("self.large[:2, ..., 7:8]", "attribute"), ("self.means[:, 1:-1]", "attribute"),
        ("self.rates[None]", "attribute"), ("table[1:3]", "closure"), ("whole", "closure"),
    ]  # fmt: skip


def test_what_is_not_there_when_a_default_is_taken_for_it(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for what the code puts there itself."""
    monkeypatch.delenv("BIAS", raising=False)
    config: dict[str, Any] = {"rate": 2.0}
    made: dict[str, Any] = {}

    @tf.function
    def scaled(x: Any) -> Any:
        if made.get("bias") is None:
            made["bias"] = float(os.getenv("BIAS", "0"))
        made.setdefault("scale", 1.0 if made.get("scale") is None else 2.0)
        return x * config.get("rate", 1.0) * config.get("gain", 3.0) + config.get("unread", 0.0) + made["bias"]

    with recording() as r:
        assert scaled(tf.constant(1.0)) == 6.0
        config["gain"] = 5.0
        monkeypatch.setenv("BIAS", "7")
        assert scaled(tf.constant(1.0)) == 6.0
    assert sorted(stale(r)) == [
        (1, "config['gain']", "closure", "its default", "5.0"),
        (1, "os.environ['BIAS']", "attribute", "its default", "'7'"),
    ]


class Schedule:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.options = {"clip": 1.0}

    def apply(self, x: Any) -> Any:
        return x * self.rate


def test_what_a_local_variable_stands_for(recording: RecordFixture) -> None:
    """`cfg = self.cfg`, as most programs begin with; one of two things that it may stand for is not told."""

    class Scaled:
        def __init__(self) -> None:
            self.options = {"loss": {"weight": 1.0}}
            self.cfg, self.other = Settings(), Settings()
            self.power = lambda x: x * self.cfg.rate

        @tf.function
        def __call__(self, x: Any, flag: bool = True) -> Any:
            cfg = self.cfg
            power = self.power
            loss = self.options["loss"]
            either = self.other if flag else settings
            cfg.rate + 0.0  # read twice, told once
            return power(x) * cfg.rate * loss["weight"] * either.rate

    scaled = Scaled()
    with recording() as r:
        scaled(tf.ones([]))
        scaled.cfg.rate = scaled.other.rate = 0.25
        scaled.options["loss"]["weight"] = 2.0
        assert float(scaled(tf.ones([]))) == 0.125
    assert {(name, traced, now) for _, name, _, traced, now in stale(r)} == {
        ("self.cfg.rate", "0.5", "0.25"),
        ("self.options['loss']['weight']", "1.0", "2.0"),
    }


def test_attributes_of_an_object_that_is_an_argument(recording: RecordFixture) -> None:
    """An optimizer of the user's own, whose rate is set in the loop: its graph goes on with the first one."""

    @tf.function
    def first(schedule: Any, x: Any) -> Any:
        return schedule.apply(x)

    @tf.function
    def later(x: Any, *, schedule: Any) -> Any:
        return x * schedule.rate + schedule.options["clip"]

    schedule = Schedule(0.5)
    with recording() as r:
        for _ in range(2):
            assert float(first(schedule, tf.constant(1.0))) == 0.5
            assert float(later(tf.constant(1.0), schedule=schedule)) == 1.5
            schedule.rate, schedule.options["clip"] = 0.25, 2.0
    assert sorted(stale(r)) == [
        (1, "schedule.rate", "attribute", "0.5", "0.25"),
        (2, "schedule.options['clip']", "attribute", "1.0", "2.0"),
        (2, "schedule.rate", "attribute", "0.5", "0.25"),
    ]


def test_what_is_no_longer_given_is_let_go(recording: RecordFixture) -> None:
    @tf.function
    def scaled(x: Any, schedule: Any) -> Any:
        return x * schedule.rate

    with recording() as r:
        for rate in (0.5, 0.25):
            schedule = Schedule(rate)
            scaled(tf.constant(1.0), schedule)
            gone = weakref.ref(schedule)
            schedule.rate = 0.125
            del schedule
            gc.collect()
            assert gone() is None
    # what it held when it was freed is known: whether it was passed again until then is not
    assert [(name, traced, now) for _, name, _, traced, now in stale(r)] == [
        ("schedule.rate", "0.5", "0.125"), ("schedule.rate", "0.25", "0.125"),
    ]  # fmt: skip


def test_an_object_that_is_equal_by_its_contents_equals_itself(recording: RecordFixture) -> None:
    class Equal(Schedule):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal) and self.rate == other.rate

        def __hash__(self) -> int:
            return 1

    @tf.function
    def scaled(x: Any, schedule: Any) -> Any:
        return x * schedule.rate

    equal = Equal(0.5)
    with recording() as r:
        for _ in range(2):
            assert float(scaled(tf.constant(1.0), equal)) == 0.5
            equal.rate = 0.25
    assert stale(r) == [(1, "schedule.rate", "attribute", "0.5", "0.25")]


def test_a_parameter_that_is_assigned_to_is_not_what_was_given(recording: RecordFixture) -> None:
    kept = Schedule(0.5)

    @tf.function(autograph=False)
    def rebound(x: Any, schedule: Any) -> Any:
        schedule = kept
        return x * schedule.rate

    one = Schedule(0.5)
    with recording() as r:
        rebound(tf.constant(1.0), one)
        one.rate = 0.25
    assert stale(r) == []


class Doubler(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(2.0)
        self.parts: Any = [1, 2]

    def __call__(self, x: Any) -> Any:
        return x * self.weight


def dense() -> Any:
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones")])


@pytest.mark.parametrize("make", [dense, Doubler, lambda: tf.Variable(1.0), lambda: tf.constant(1.0)])
def test_a_model_or_tensor_that_was_replaced(recording: RecordFixture, make: Any) -> None:
    """A notebook's cell that makes the model is run again, and the one that defines the step is not."""
    global external
    external = make()

    @tf.function
    def step(x: Any) -> Any:
        return external(x) if callable(external) else x * external

    with recording() as r:
        before = step(tf.ones([1, 1])).numpy()
        first = weakref.ref(external)
        external = make()
        if isinstance(external, keras.Model):
            external.set_weights([weight + 5 for weight in external.get_weights()])
        elif hasattr(external, "weight"):
            external.weight.assign(9.0)
        elif hasattr(external, "assign"):
            external.assign(9.0)
        else:
            external = tf.constant(9.0)
        assert step(tf.ones([1, 1])).numpy() == before  # the graph's own answer
    (found,) = r.stale
    assert (found.seq, found.name, found.kind) == (1, "external", "global")
    kind, old = found.traced.split(" #")
    assert kind == ("tensor" if kind == "tensor" else type(external).__name__)
    assert found.now.startswith(f"{kind} #")
    assert found.now.split(" #")[1] != old
    if not isinstance(first(), (tf.Variable, tf.Tensor)):  # which the graph holds
        gc.collect()
        assert first() is None


def test_what_is_made_anew_with_its_function_is_not_stale(recording: RecordFixture) -> None:
    with recording() as r:
        for _ in range(3):
            model, state = dense(), tf.zeros([1])

            @tf.function
            def step(x: Any) -> Any:
                return model(x) + state  # noqa: B023

            step(tf.ones([1, 1]))
    assert r.count("step") == 3
    assert stale(r) == []


def test_a_list_that_tensorflow_wraps_may_hold_anything(recording: RecordFixture) -> None:
    doubler = Doubler()

    @tf.function
    def step(x: Any) -> Any:
        return doubler(x) * len(doubler.parts)

    with recording() as r:
        step(tf.ones([1]))
        doubler.parts = [3, 4]
    assert stale(r) == []


def test_a_variable_of_an_object_that_was_replaced(recording: RecordFixture) -> None:
    doubler = Doubler()

    @tf.function
    def step(x: Any) -> Any:
        return doubler(x)

    with recording() as r:
        step(tf.ones([1]))
        doubler.weight.assign(5.0)  # it is the same one
    assert stale(r) == []
    with recording() as r:
        step(tf.ones([2]))
        doubler.weight = tf.Variable(7.0)
        assert float(step(tf.ones([2]))[0]) == 5.0
    assert [name for _, name, _, _, _ in stale(r)] == ["doubler.weight"]


kept: Any = None


@pytest.mark.parametrize("make", [keras.metrics.Mean, lambda: keras.optimizers.SGD(0.5)])
def test_what_a_method_is_called_of_is_another_one(recording: RecordFixture, make: Any) -> None:
    """A metric or an optimizer that is made anew in each epoch: the graph goes on with the first one."""
    global kept
    variable = tf.Variable(1.0)

    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        if isinstance(kept, keras.metrics.Metric):
            kept.update_state(x)
        else:
            kept.apply([x], [variable])
        return x + 1.0

    kept = make()
    if not isinstance(kept, keras.metrics.Metric):
        kept.build([variable])
    first = kept
    with recording() as r:
        step(tf.constant(1.0))
        kept = make()
        step(tf.constant(2.0))
    name = type(first).__name__
    (told,) = [told[1:] for told in stale(r) if told[1] == "kept"]
    assert told == ("kept", "global", f"{name} #1", f"{name} #3")  # 2 is the variable
    kept = None


def test_what_helpers_read_by_a_key_that_they_are_passed(recording: RecordFixture) -> None:
    """`self.fetched("gain")`: of each call the entry that it reads, and no other."""

    class Source:
        def __init__(self) -> None:
            self.params: dict[str, float] = {"gain": 0.5, "unread": 1.0}
            self.defaults = {"gain": 1.0, "rate": 2.0}

        def fetched(self, name: str) -> float:
            return self.params.get(name, self.defaults[name])

        @tf.function(autograph=False)
        def by_helpers(self, x: Any) -> Any:
            return x * self.fetched("gain") + self.fetched("rate")

        @tf.function(autograph=False)
        def by_argument(self, x: Any, name: str) -> Any:
            return x * self.params[name]

    source, x = Source(), tf.constant(1.0)
    with recording() as r:
        source.by_helpers(x)
        source.by_argument(x, "gain")
        source.params = {"gain": 0.25, "unread": 3.0}
        source.by_helpers(x)
        source.params = {"gain": 0.25, "unread": 3.0, "rate": 4.0}
    of_gain = ("self.params['gain']", "attribute", "0.5", "0.25")
    of_rate = ("self.params['rate']", "attribute", "its default", "4.0")
    assert {told[1:] for told in stale(r) if told[0] == r.traces[0].seq} == {of_gain, of_rate}
    assert {told[1:] for told in stale(r) if told[0] == r.traces[1].seq} == {of_gain}


HYPERPARAMETERS = {"rate": 0.5, "decay": 0.9, "unread": 1.0}


def hyperparameter(name: str) -> float:
    return HYPERPARAMETERS[name]


def test_what_a_function_reads_by_the_key_that_is_all_that_it_is_passed(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        return x * hyperparameter("rate") + hyperparameter(name="decay")

    with recording() as r:
        step(tf.constant(1.0))
        for name in HYPERPARAMETERS:
            monkeypatch.setitem(HYPERPARAMETERS, name, 0.25)
    assert {told[1:] for told in stale(r)} == {
        ("HYPERPARAMETERS['rate']", "global", "0.5", "0.25"),
        ("HYPERPARAMETERS['decay']", "global", "0.9", "0.25"),
    }


class GivesByMethods:
    def __init__(self, **values: Any) -> None:
        self.__dict__["values"] = values

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __getattr__(self, name: str) -> Any:
        return self.values[name]


def test_what_an_object_gives_by_methods_of_its_own_for_that(recording: RecordFixture) -> None:
    """`settings["rate"]`, `settings.rate`: nothing of them is run."""
    settings, unread = GivesByMethods(rate=0.5, decay=0.9, unread=1.0), GivesByMethods(rate=2.0)

    class Step:
        def __init__(self) -> None:
            self.settings = GivesByMethods(gain=3.0)

        @tf.function(autograph=False)
        def step(self, x: Any) -> Any:
            return x * settings["rate"] + settings.decay * self.settings["gain"] + len(unread.values)

    own, x = Step(), tf.constant(1.0)
    with recording() as r:
        own.step(x)
        settings.values.update(rate=0.25, decay=0.8, unread=3.0)
        own.settings.values["gain"] = 4.0
        unread.values["rate"] = 5.0
    assert {told[1:] for told in stale(r)} == {
        ("settings.values['rate']", "attribute", "0.5", "0.25"),
        ("settings.values['decay']", "attribute", "0.9", "0.8"),
        ("self.settings.values['gain']", "attribute", "3.0", "4.0"),
    }


def test_of_a_global_it_stays_known_that_it_is_one(recording: RecordFixture) -> None:
    global external
    before = external
    with recording() as r:
        gc.disable()  # else one may be gone before it is known that another has followed
        for value in (10, 20, 30):
            external = value

            def step(x: Any) -> Any:
                return x + external  # noqa: B023

            own = tf.function(step, autograph=False)
            step.__dict__["own"] = own
            own(tf.constant(1))
        del step, own
        gc.enable()
    external = before
    assert {told[2] for told in stale(r)} == {CHOSEN_GLOBAL}
    assert {told[3:] for told in stale(r)} >= {("10", "20")}


@pytest.mark.parametrize(("are_kept", "is_collected"), [(False, False), (False, True), (True, True)])
def test_a_function_that_is_made_again_after_a_change_is_not_stale_once_it_is_gone(
    recording: RecordFixture, are_kept: bool, is_collected: bool
) -> None:
    """A step in a loop over folds; not where the earlier ones are kept, and called beside it."""
    functions: list[Any] = []
    x = tf.ones([2])
    with recording() as r:
        for fold in range(3):
            scale, layer = 1.0 / (fold + 1), tf.Variable(1.0)

            def step(x: Any) -> Any:
                return x * scale * layer  # noqa: B023

            def evaluated(x: Any) -> Any:
                return x + scale  # noqa: B023

            for function in (evaluated, step):  # by the first one's trace the change is noticed
                own = tf.function(function, autograph=False)
                function.__dict__["own"] = own  # as those that hold one another: there until Python collects them
                own(x)
                functions.extend([own] * are_kept)
            gc.collect(2 if is_collected else 0)  # the earlier ones', that is
        del step, evaluated, function, own
    latest = {(seq, name): kind for seq, name, kind, _, _ in stale(r)}
    assert {name for _, name in latest} == {"scale", "layer"}  # for advice to know of
    assert {*latest.values()} == {"closure" if are_kept else CHOSEN}
    assert not any(r.losses.values())


class Nested:
    """Holds what holds it in turn: it is there until Python collects it."""

    def __init__(self) -> None:
        self.inner = tf.function(self._inner, autograph=False)
        self.outer = tf.function(self._outer, autograph=False)

    def _inner(self, x: Any) -> Any:
        return x * external

    def _outer(self, x: Any) -> Any:
        return self.inner(x) + 1.0


@pytest.mark.parametrize(("name", "is_kept"), [("inner", False), ("outer", False), ("outer", True)])
def test_what_a_method_or_one_within_it_read_for_an_object_that_is_gone(
    recording: RecordFixture, name: str, is_kept: bool
) -> None:
    """A global is not the object's own. The graph of the one around it alone may still hold what it read."""
    global external
    functions: list[Any] = []
    with recording() as r:
        for value in (1.0, 2.0, 3.0):
            external = value
            own = Nested()
            getattr(own, name)(tf.ones([2]))
            functions.append(own.outer.get_concrete_function(tf.ones([2])) if is_kept else None)
        del own
    latest = {seq: kind for seq, what, kind, _, _ in stale(r) if what == "external"}
    of_graphs_that_run = {seq for seq, kind in latest.items() if kind not in (CHOSEN, CHOSEN_GLOBAL)}
    assert len(of_graphs_that_run) == (2 if is_kept else 0)


def test_a_loss_that_the_user_computes_in_keras_own_step(recording: RecordFixture) -> None:
    """`compute_loss` alone is overridden, as Keras' guide does."""

    class Distiller(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = keras.layers.Dense(1)
            self.alpha = 0.1

        def call(self, x: Any) -> Any:
            return self.inner(x)

        def compute_loss(self, x: Any = None, y: Any = None, y_pred: Any = None, *more: Any, **kwargs: Any) -> Any:
            return self.alpha * tf.reduce_mean((y - y_pred) ** 2)

    model = Distiller()
    model.compile(optimizer="sgd")
    with recording() as r:
        model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
        model.alpha = 0.5
    assert {told[1:] for told in stale(r)} == {("model.alpha", "attribute", "0.1", "0.5")}


class HandsOn(keras.Model):
    """Most of what it does is Keras' own: it adds to what that logs."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = keras.layers.Dense(1, name="inner")
        self.alpha, self.gain, self.unused = 0.1, 1.0, 1.0

    def call(self, x: Any, training: bool = False) -> Any:
        self.add_loss(0.0 * tf.reduce_sum(x))
        return self.inner(x) * self.alpha

    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        return super().compute_loss(*args, **kwargs) * self.gain

    def train_step(self, data: Any) -> Any:
        return {**super().train_step(data), "rate": self.optimizer.learning_rate}

    def test_step(self, data: Any) -> Any:
        x, y = data
        return {"away": tf.reduce_mean(self(x) - y) * share}

    def predict_step(self, data: Any) -> Any:
        return tf.add_n([self(one) for one in (data, data)])


def test_steps_that_hand_on_to_those_of_keras(recording: RecordFixture) -> None:
    """What `call` reads is told by one name, though it calls a method of the model's that is Keras' own."""
    global share
    x = np.ones([4, 2], np.float32)
    model = HandsOn()
    model.compile("sgd", shared)
    model(x)
    model.optimizer.build(model.trainable_variables)
    with recording() as r:
        model.fit(x, x[:, :1], verbose=0)
        model.evaluate(x, x[:, :1], verbose=0)
        model.predict(x, verbose=0)
        model.alpha, model.gain, model.unused, model.inner.trainable, share = 0.2, 2.0, 2.0, False, 0.2
    share = 0.1
    trained, tested, asked = (
        {name for seq, name, *_ in stale(r) if seq == of} for of in sorted({found[0] for found in stale(r)})
    )
    assert trained == {"model.alpha", "model.gain", "share", "inner.trainable"}
    assert tested == {"model.alpha", "share"}
    assert asked == {"model.alpha"}


class Clipping(keras.Model):
    clip = 1.0

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.loss_of(x, y)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, self.trainable_variables), self.clip)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}

    def loss_of(self, x: Any, y: Any) -> Any:
        return self.compute_loss(x, y, self(x, training=True))


class Averaged(Clipping):
    def train_step(self, data: Any) -> Any:
        return {**super().train_step(data), "decay": self.decay}


def test_a_step_that_hands_on_to_one_of_a_class_above(recording: RecordFixture) -> None:
    """Which has a method of its own call Keras' `compute_loss`."""
    global share
    inputs = keras.Input((2,))
    model = Averaged(inputs, keras.layers.Dense(1, name="inner")(inputs))
    model.decay = 0.9
    model.compile("sgd", shared)
    model.optimizer.build(model.trainable_variables)
    with recording() as r:
        model.fit(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32), verbose=0)
        model.decay, model.clip, share = 0.99, 0.1, 0.2
        model.get_layer("inner").trainable = False
    share = 0.1
    assert {found[1] for found in stale(r)} == {"model.decay", "model.clip", "share", "inner.trainable"}


share = 0.1


def shared(y: Any, found: Any) -> Any:
    return share * tf.reduce_mean((y - found) ** 2)


def halved(x: Any) -> Any:
    return x * share


class Shared(keras.losses.Loss):
    share = 0.1

    def call(self, y: Any, found: Any) -> Any:
        return self.share * tf.reduce_mean((y - found) ** 2, -1)

    def mean(self, y: Any, found: Any) -> Any:
        return self.share * tf.reduce_mean((y - found) ** 2)


one_loss = Shared()


@pytest.mark.parametrize("wrap", [lambda loss: loss, lambda loss: [loss]])
@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (shared, ("share", "global")), (one_loss, ("loss.share", "attribute")),
        (one_loss.mean, ("self.share", "attribute")),
    ],
)  # fmt: skip
def test_a_loss_that_a_model_is_compiled_with(loss: Any, name: Any, wrap: Any, recording: RecordFixture) -> None:
    """A function, a Keras loss, a method of an object."""
    global share
    share = one_loss.share = 0.1
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss=wrap(loss))
    with recording() as r:
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
        model.predict_on_batch(tf.ones([4, 2]))  # without the loss
        share = one_loss.share = 0.5
    assert [found[1:] for found in stale(r)] == [(*name, "0.1", "0.5")]


class Rate:
    """As people write one for an optimizer, which calls it in each trace, and never again."""

    def __init__(self) -> None:
        self.rate = 0.1

    def __call__(self) -> float:
        return self.rate


def test_a_rate_that_an_optimizer_asks_for(recording: RecordFixture) -> None:
    global share
    share = 0.1
    rate = Rate()
    one, other = keras.optimizers.SGD(rate), keras.optimizers.SGD(lambda: share)
    variable = tf.Variable(1.0)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(rate), loss="mse")

    @tf.function(autograph=False)
    def step(gradient: Any) -> None:
        one.apply([gradient], [variable])
        other.apply([gradient], [variable])

    for optimizer in (one, other):
        optimizer.build([variable])
    with recording() as r:
        step(tf.ones([]))
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
        share = rate.rate = 0.5
    assert sorted(told[1:] for told in stale(r)) == [
        ("model.optimizer.learning_rate.rate", "attribute", "0.1", "0.5"),
        ("one.learning_rate.rate", "attribute", "0.1", "0.5"),
        ("share", "global", "0.1", "0.5"),
    ]


@pytest.mark.parametrize(
    "make", [lambda: keras.layers.Dense(1, activation=halved), lambda: keras.layers.Lambda(halved)]
)
def test_functions_that_layers_of_keras_are_made_with(make: Any, recording: RecordFixture) -> None:
    global share
    share = 0.1
    model = keras.Sequential([keras.Input((1,)), make()])
    with recording() as r:
        model.predict_on_batch(tf.ones([4, 1]))
        share = 0.5
    assert [found[1:] for found in stale(r)] == [("share", "global", "0.1", "0.5")]


class OfALibrary:
    """Functions of libraries that it has as attributes; TensorFlow's are wrapped by one and the same code."""

    def __init__(self) -> None:
        self.squash: Any = tf.nn.softmax
        self.loss: Any = keras.losses.mean_squared_error
        self.kept: Any = tf.nn.relu

    def activated(self, x: Any) -> Any:
        return self.kept(self.squash(x))

    def step(self, x: Any) -> Any:
        return self.loss(tf.ones_like(x), self.activated(x))


def test_a_librarys_function_that_was_replaced(recording: RecordFixture) -> None:
    holder = OfALibrary()
    step = tf.function(holder.step)
    with recording() as r:
        before = step(tf.constant([[1.0, 2.0]])).numpy()
        holder.squash, holder.loss = tf.nn.tanh, keras.losses.mean_absolute_error
        holder.kept = tf.nn.relu  # the same again
        assert (step(tf.constant([[1.0, 2.0]])).numpy() == before).all()
        assert (tf.function(holder.step)(tf.constant([[1.0, 2.0]])).numpy() != before).all()
    told = {name: (traced, now) for seq, name, _, traced, now in stale(r) if seq == 1}
    assert told.keys() == {"self.squash", "self.loss"}
    assert told["self.squash"][0].startswith("function softmax")
    assert told["self.squash"][1].startswith("function tanh")
    assert [text.partition(" #")[0] for text in told["self.loss"]] == [
        "function mean_squared_error", "function mean_absolute_error",
    ]  # fmt: skip


def test_a_librarys_function_in_a_dictionary_or_a_list(recording: RecordFixture) -> None:
    by_name: dict[str, Any] = {"hidden": tf.nn.relu, "kept": tf.abs}
    chain: list[Any] = [tf.nn.softmax]

    @tf.function
    def step(x: Any) -> Any:
        return by_name["hidden"](chain[0](by_name["kept"](x)))

    with recording() as r:
        before = step(tf.constant([[1.0, 2.0]])).numpy()
        by_name["hidden"], chain[0] = tf.exp, tf.nn.tanh
        assert (step(tf.constant([[1.0, 2.0]])).numpy() == before).all()
    assert {name for _, name, *_ in stale(r)} == {"by_name['hidden']", "chain[0]"}


class OfVariables(tf.Module):  # type: ignore[misc]
    def __init__(self, start: float) -> None:
        super().__init__()
        self.w = tf.Variable(start)

    def loss(self) -> Any:
        return self.w**2

    @property
    def own(self) -> Any:
        return [self.w]


def test_an_object_whose_method_is_passed_on_or_whose_variables_a_property_gives(recording: RecordFixture) -> None:
    first, second, third, kept = (OfVariables(1.0) for _ in range(4))
    net = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])

    def run(compute: Any) -> Any:
        return compute()

    @tf.function
    def step(x: Any) -> Any:
        decay = [tf.nn.l2_loss(one) for one in net.trainable_weights]
        return x + run(first.loss) + tf.add_n([*second.trainable_variables, *third.own, *decay]), kept.name

    with recording() as r:
        step(tf.ones([]))
        first, second, third, kept = (OfVariables(2.0) for _ in range(4))
        net = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        step(tf.ones([]))
    assert {name for _, name, *_ in stale(r)} == {"first", "second", "third", "net"}


class OwnStep(keras.Model):
    """Of layers that are given to it, with a step of its own."""

    def train_step(self, data: Any) -> Any:
        x, y, *_ = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {"loss": loss}


def weighed(y: Any, found: Any) -> Any:
    return share * tf.reduce_mean((y - found) ** 2)


@pytest.mark.parametrize("kind", [keras.Model, OwnStep])
def test_layers_within_layers_losses_and_what_is_trained(kind: Any, recording: RecordFixture) -> None:
    """Whoever has written the step."""
    global share
    share = 0.1
    scaled, inner = Scaled(), keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)], name="inner")
    inputs = keras.Input((3, 2))
    found = keras.layers.TimeDistributed(scaled, name="rows")(inputs)
    found = keras.layers.Flatten()(keras.layers.TimeDistributed(inner, name="each")(found))
    model = kind(inputs, keras.layers.Dense(1, name="last")(found))
    model.compile("sgd", weighed)
    with recording() as r:
        model.train_on_batch(tf.ones([4, 3, 2]), tf.ones([4, 1]))
        before = model.get_layer("last").get_weights()[0]
        scaled.factor, share = 5.0, 0.5
        for layer in model.layers:
            layer.trainable = False
        model.train_on_batch(tf.ones([4, 3, 2]), tf.ones([4, 1]))
        assert (model.get_layer("last").get_weights()[0] != before).any()  # it is trained all the same
    assert {found[1:] for found in stale(r)} == {
        ("scaled.factor", "attribute", "2.0", "5.0"), ("share", "global", "0.1", "0.5"),
        *((f"{name}.trainable", "attribute", "True", "False") for name in ("rows", "each", "last")),
    }  # fmt: skip


class Trained:
    def __init__(self) -> None:
        self.net = keras.Sequential([keras.layers.Dense(2, name="one"), keras.layers.Dense(1, name="two")])
        self.net.build([None, 2])
        self.scale = keras.layers.Dense(1, name="scale")
        self.scale.build([None, 1])

    @tf.function
    def step(self, x: Any, model: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self.scale(model(self.net(x))))
        variables = [*self.net.trainable_variables, *model.trainable_weights, *self.scale.trainable_variables]
        return tape.gradient(loss, variables)

    @tf.function
    def predict(self, x: Any) -> Any:
        return self.scale(self.net(x))


def test_what_a_step_of_the_users_own_trains(recording: RecordFixture) -> None:
    """It asks the models while it is traced: what is frozen afterwards is trained all the same."""
    trained = Trained()
    model = keras.Sequential([keras.Input([1]), keras.layers.Dense(1, name="passed")])
    with recording() as r:
        assert len(trained.step(tf.ones([1, 2]), model)) == 8
        trained.predict(tf.ones([1, 2]))
        trained.net.layers[0].trainable = trained.scale.trainable = False
        model.trainable = False
        assert len(trained.step(tf.ones([1, 2]), model)) == 8
    assert sorted((seq, name) for seq, name, *_ in stale(r)) == [
        (1, "one.trainable"), (1, "passed.trainable"), (1, "scale.trainable"),
    ]  # fmt: skip


def test_a_users_own_list_of_layers_is_not_asked_for(recording: RecordFixture) -> None:
    asked = []

    class Listed(OwnStep):
        @property
        def layers(self) -> Any:
            asked.append(True)
            return super().layers

    inputs = keras.Input((2,))
    model = Listed(inputs, keras.layers.Dense(1)(inputs))

    def times_asked() -> int:
        model.compile("sgd", "mse")
        asked.clear()
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
        return len(asked)

    times_asked()
    by_keras = times_asked()
    with recording():
        assert times_asked() == by_keras


def test_a_loss_is_not_kept_alive(recording: RecordFixture) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])

    def loss(y: Any, found: Any) -> Any:
        return share * tf.reduce_mean((y - found) ** 2)

    model.compile(optimizer="sgd", loss=loss)
    gone = weakref.ref(loss)
    with recording():
        model.train_on_batch(tf.ones([4, 2]), tf.ones([4, 1]))
        model.compile(optimizer="sgd", loss="mse")
        del loss
        gc.collect()
        assert gone() is None


class Slotted:
    __slots__ = ("rate", "unset")

    def __init__(self, rate: float) -> None:
        self.rate = rate


class Rates(NamedTuple):
    rate: float


Fields = collections.namedtuple("Fields", "rate")


@pytest.mark.parametrize("kind", [Slotted, Rates, Fields])
def test_a_field_of_a_named_tuple_and_of_slots(kind: Any, recording: RecordFixture) -> None:
    global external
    external = kind(2.0)

    @tf.function
    def scale(x: Any) -> Any:
        return x * external.rate

    with recording() as r:
        scale(tf.constant(1.0))
        external = kind(3.0)
    assert float(scale(tf.constant(1.0))) == 2.0
    assert stale(r) == [(1, "external.rate", "attribute", "2.0", "3.0")]


def test_an_item_of_a_list_of_a_module(recording: RecordFixture) -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rates = [1.0, 2.0]

        @tf.function
        def scale(self, x: Any) -> Any:
            return x * self.rates[1]

    net = Net()
    with recording() as r:
        net.scale(tf.constant(1.0))
        net.rates[1] = 5.0
    assert float(net.scale(tf.constant(1.0))) == 2.0
    assert stale(r) == [(1, "self.rates[1]", "attribute", "2.0", "5.0")]


def test_a_helper_with_a_gradient_of_its_own(recording: RecordFixture) -> None:
    global external

    @tf.function
    def step(x: Any) -> Any:
        return with_gradient(x)

    with recording() as r:
        assert step(tf.constant(1.0)) == 10.0
        external = 100
        assert step(tf.constant(1.0)) == 10.0
    assert [found[1] for found in stale(r)] == ["external"]


FACTORS: Any = [1.0, 2.0]
ADDED: Any = {"bias": 1.0, "parts": (2, 3)}
TABLE: Any = [3.0, 4.0]
SEEN: Any = {"none": 1}
WEIGHTS: Any = np.array([3.0, 3.0])


def summed() -> Any:
    return sum(FACTORS)


def test_lists_and_dictionaries_that_are_read_whole(recording: RecordFixture) -> None:
    class Model:
        def __init__(self) -> None:
            self.powers = [1, 2]

        @tf.function
        def call(self, x: Any) -> Any:
            for power in self.powers:
                x = x**power
            for _, added in sorted(ADDED.items()):
                x = x + tf.reduce_sum(tf.cast(added, tf.float32))
            return x * summed()

    @tf.function
    def looks_up(x: Any, place: int) -> Any:
        """Of a table an item alone, and what it fills itself."""
        if x.shape.rank not in SEEN:
            SEEN[x.shape.rank] = len(SEEN)
        return x * TABLE[place] * len(SEEN)

    model = Model()
    with recording() as r:
        assert model.call(tf.constant(1.0)) == 21.0
        looks_up(tf.constant(1.0), 0)
        looks_up(tf.ones([1]), 0)
        FACTORS.append(3.0)
        ADDED["parts"] = (2, 3, 4)
        model.powers = [1, 2.0]
        TABLE[1] = 9.0
        assert model.call(tf.constant(1.0)) == 21.0
    assert sorted(found[1:] for found in stale(r)) == [
        ("ADDED", "global", "{'bias': 1.0, 'parts': (2, 3)}", "{'bias': 1.0, 'parts': (2, 3, 4)}"),
        ("FACTORS", "global", "[1.0, 2.0]", "[1.0, 2.0, 3.0]"),
        ("self.powers", "attribute", "[1, 2]", "[1, 2.0]"),
    ]


class Source:
    def __init__(self, mean: float) -> None:
        self.mean, self.data, self.unused = mean, tf.constant([mean]), mean
        self.options = {"scale": mean}
        self.weights = [mean, 1.0]

    def rate(self, x: Any) -> Any:
        return x * self.mean


SOURCES: Any = [Source(3.0)]


class Likelihood:
    """As in https://github.com/FlamTeam/flamedisx/issues/53: its sources are given other data."""

    def __init__(self) -> None:
        self.sources, self.few = {"er": Source(1.0), "nr": Source(2.0)}, [Source(4.0), Source(5.0)]

    @tf.function
    def by_name(self, x: Any) -> Any:
        for name, source in self.sources.items():
            x = x + tf.reduce_sum(source.data) + len(name)
        return x

    @tf.function
    def by_a_method(self, x: Any) -> Any:
        few = self.few
        for place, source in enumerate(few):
            x = x + source.rate(x) * place
        return x

    @tf.function
    def by_a_comprehension(self, x: Any) -> Any:
        return x + tf.add_n([source.options["scale"] * source.mean * x for source in SOURCES])

    @tf.function
    def within_each_other(self, x: Any) -> Any:
        for source in self.sources.values():
            for weight in source.weights:
                x = x * weight
        return x

    @tf.function
    def some(self, x: Any) -> Any:
        """Of some of them, of others than they are called, and what is printed alone: of these nothing is told."""
        for source in self.few:
            print(source.mean)
            if source.unused > 4.0:
                x = x * source.mean
        for source in self.few:
            source = SOURCES[0]
            x = x * source.mean
        for source, _ in zip(self.few, [1], strict=False):
            x = x * source.mean
        for source in self.few:
            source.mean = 7.0
            x = x * source.mean
        return x


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("by_name", {"self.sources['er'].data", "self.sources['nr'].data"}),
        ("by_a_method", {"self.few[0].mean", "self.few[1].mean"}),
        ("by_a_comprehension", {"SOURCES[0].mean", "SOURCES[0].options['scale']"}),
        ("within_each_other", {"self.sources['er'].weights", "self.sources['nr'].weights"}),
        ("some", set()),
    ],
)
def test_what_loops_read_of_each_object(
    method: str, expected: set[str], recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SOURCES", [Source(3.0)])
    model = Likelihood()
    with recording() as r:
        before = getattr(model, method)(tf.constant(1.0)).numpy()
        for source in [*model.sources.values(), *model.few, *SOURCES]:
            source.mean, source.data, source.options["scale"] = 9.0, tf.constant([9.0]), 9.0
            source.weights[1] = 9.0
        assert getattr(model, method)(tf.constant(1.0)) == before
    assert {name for _, name, *_ in stale(r)} == expected


class Tracked(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.few, self.by_name, self.names = [Source(1.0)], {"a": Source(2.0), "b": Source(3.0)}, ["b"]

    def call(self, x: Any) -> Any:
        for source in self.few:
            x = x * source.mean
        for name in self.names:
            x = x * self.by_name[name].mean
        return x


def test_what_loops_read_of_lists_that_keras_tracks(recording: RecordFixture) -> None:
    layer = Tracked()

    @tf.function
    def f(x: Any) -> Any:
        return layer(x)

    with recording() as r:
        before = f(tf.constant([1.0])).numpy()
        for source in (*layer.few, *layer.by_name.values()):
            source.mean = 9.0
        assert f(tf.constant([1.0])) == before
    assert {name.partition(".")[2] for _, name, *_ in stale(r)} == {"few[0].mean", "by_name['b'].mean"}


class SumOfLosses:
    """The usual sum of losses: each has its weight by its name, and one of these is changed while it trains."""

    def __init__(self) -> None:
        self.weights, self.names = {"rec": 1.0, "kl": 0.0, "adv": 2.0}, ["rec", "kl"]
        self.parts = {name: Source(1.0) for name in self.weights}

    @tf.function
    def of_an_argument(self, losses: Any) -> Any:
        total = 0.0
        for name, loss in losses.items():
            total += self.weights[name] * loss
        return total

    @tf.function
    def of_its_own(self, losses: Any) -> Any:
        own = {"rec": losses["rec"], "kl": losses["kl"]}
        own["kl"] = own["kl"] * 2.0
        total = 0.0
        for name in ("rec", "kl"):
            total += self.weights[name] * own[name]
        return total

    @tf.function
    def of_a_comprehension(self, losses: Any) -> Any:
        return tf.add_n([self.weights[name] * loss for name, loss in losses.items()])

    @tf.function
    def kept_elsewhere(self, losses: Any) -> Any:
        """What it puts somewhere by that name may be what it reads."""
        weights: Any = {}
        self.weights = weights
        weights["rec"], weights["kl"] = 1.0, 0.0
        return losses["rec"] * self.weights["kl"]

    @tf.function
    def by_names(self, losses: Any) -> Any:
        names = self.names
        return sum(self.weights[name] * losses[name] * self.parts[name].mean for name in names)

    @tf.function
    def by_what_a_loop_filled(self, losses: Any) -> Any:
        found = {}
        for name in self.names:
            found[name] = losses[name] * 2.0
        total = 0.0
        for name, loss in found.items():
            total += self.weights[name] * loss
        return total

    @tf.function
    def by_what_a_loop_may_have_filled(self, losses: Any) -> Any:
        found = {}
        for name in self.names:
            if name in losses:
                found[name] = losses[name] * 2.0
        total = 0.0
        for name, loss in found.items():
            total += self.weights[name] * loss
        return total

    @tf.function
    def by_some_names(self, losses: Any) -> Any:
        """Which these are is not known; nor is whether it comes to them."""
        found = {"rec": losses["rec"]}
        if losses["rec"].shape.rank:
            found["kl"] = losses["kl"]
        total = 0.0
        for name, loss in found.items():
            total += self.weights[name] * loss
        for name in self.names:
            if name in losses:
                total += self.weights[name]
        names = ["rec", "kl"]
        names.remove("kl")
        for name in names:
            total += self.weights[name]
        return total


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("of_an_argument", {"self.weights['kl']"}),
        ("by_names", {"self.weights['kl']", "self.parts['kl'].mean"}),
        ("of_its_own", {"self.weights['kl']"}),  # though it puts something into another by that name
        ("of_a_comprehension", {"self.weights['kl']"}),
        ("by_what_a_loop_filled", {"self.weights['kl']"}),
        ("by_what_a_loop_may_have_filled", set()),
        ("by_some_names", set()),
        ("kept_elsewhere", set()),
    ],
)
def test_what_loops_look_up_by_name(method: str, expected: set[str], recording: RecordFixture) -> None:
    model, losses = SumOfLosses(), {"rec": tf.constant(1.0), "kl": tf.constant(2.0)}
    with recording() as r:
        before = getattr(model, method)(losses).numpy()
        model.weights["kl"] = model.weights["adv"] = model.parts["kl"].mean = 9.0
        assert getattr(model, method)(losses) == before
    assert {name for _, name, *_ in stale(r)} == expected


class Family:
    def __init__(self, members: list[Any]) -> None:
        self.members, self.k = members, 1.0


def test_objects_that_hold_each_other_are_gone_through_as_far_as_the_loops(recording: RecordFixture) -> None:
    one = Family([])
    one.members += [one, one]

    @tf.function
    def f(x: Any) -> Any:
        for a in one.members:
            for b in a.members:
                x = x * b.k
        for b in one.members:
            for a in b.members:
                x = x * a.k
        return x

    with recording() as r:
        f(tf.constant(1.0))
        one.k = 2.0
    assert "one.members[0].members[1].k" in {name for _, name, *_ in stale(r)}


def weighted(x: Any, weights: Any) -> Any:
    for weight in weights:
        x = x * weight
    return x


def offset(x: Any, shifts: Any, further: Any = ()) -> Any:
    x = x + shifts[0]
    for place in range(2):
        x = x + further[place]
    return x


def of_the_last(x: Any, history: Any) -> Any:
    history = history[-2:]
    for one in history:
        x = x + one
    return x


def test_lists_that_helpers_are_handed(recording: RecordFixture) -> None:
    """What a helper goes through, or takes an item of, by the caller's names."""

    class Model:
        def __init__(self) -> None:
            self.weights, self.history = [1.0, 2.0], [0.0, 0.0]

        @tf.function
        def call(self, x: Any) -> Any:
            x = offset(weighted(x, self.weights), FACTORS, further=self.history)
            return of_the_last(x, self.history)

    model = Model()
    with recording() as r:
        before = model.call(tf.constant(1.0)).numpy()
        model.weights[1] = 5.0
        model.history.append(4.0)  # of which nothing is told: none reads as far
        FACTORS[0], first = 9.0, FACTORS[0]
        assert model.call(tf.constant(1.0)) == before
    FACTORS[0] = first
    assert sorted((found[1], *found[3:]) for found in stale(r)) == [
        ("FACTORS[0]", "1.0", "9.0"),
        ("self.weights", "[1.0, 2.0]", "[1.0, 5.0]"),
    ]


class Tables:
    def __init__(self) -> None:
        self.scales, self.shifts, self.options = np.ones([2], np.float32), [1.0, 2.0], {"scale": 2.0}
        self.limits, self.signs = np.ones([2], np.float32), np.ones([2], np.float32)
        self.kinds, self.empty, self.made = ["a"], [1.0], np.ones([2], np.float32)
        self.rows, self.turned, self.stacked, self.part = (np.ones([2], np.float32) for _ in range(4))
        self.grid, self.corners, self.pairs = np.ones([2, 2]), np.ones([2, 2]), {(0, 1): 2.0, (1, 0): 2.0}
        self.cube = np.ones([2, 2, 2], np.float32)

    def scaled(self, x: Any, scale: float = 1.0, shift: float = 0.0) -> Any:
        return x * scale + shift

    @tf.function
    def step(self, x: Any) -> Any:
        x *= self.scales
        x += self.shifts
        x = tf.reduce_sum(x + self.rows[:, None], 0) - tf.reduce_sum(self.turned[None][..., ::-1], 0)
        x += tf.reduce_sum(tf.stack([self.stacked, x]), 0) * self.part[:1]
        x *= float(self.grid[0, 1] * self.corners[1, 0]) * self.pairs[0, 1]
        x += self.cube[1, -1]
        signs = self.signs
        made = self.made
        made[0] = 7.0
        x = self.scaled(x, **self.options) * (-signs) * made
        if "a" in self.kinds and self.empty is not None and self.empty:
            x = x + tf.cast(x > self.limits, tf.float32)
        return self.scaled(x, **{**self.options, "shift": 1.0})


def scaled_to_unit(points: Any) -> Any:
    return 2.0 * points - 1.0


def as_large_as(points: Any) -> Any:
    return tf.zeros(points.shape)


class Collocations:
    def __init__(self) -> None:
        self.inner, self.border, self.alone, self.sized, self.own = (np.ones([2], np.float32) for _ in range(5))

    def preprocess(self, points: Any) -> Any:
        return points / 2.0

    @tf.function
    def loss(self, x: Any) -> Any:
        given = scaled_to_unit(self.inner) + scaled_to_unit(self.border) + self.preprocess(self.alone)
        return x + given + as_large_as(self.sized) + as_large_as(self.own)


def test_arrays_that_helpers_are_passed(recording: RecordFixture) -> None:
    """Each call of one may pass it another; of one that asks for the shape alone nothing is stale."""
    points, x = Collocations(), tf.zeros([2])
    with recording() as r:
        before = points.loss(x)
        for name in ("inner", "border", "alone", "sized", "own"):
            setattr(points, name, np.full([2], 7.0, np.float32))
        assert np.array_equal(before, points.loss(x))
    assert {name for _, name, *_ in stale(r)} == {"self.alone", "self.border", "self.inner"}


def test_arrays_and_lists_that_are_computed_with(recording: RecordFixture) -> None:
    """By a local name, too; not whether they are there, nor what the code itself fills by one."""
    tables = Tables()
    x = tf.constant([1.0, 2.0])
    with recording() as r:
        before = tables.step(x)
        for array in (
            tables.scales,
            tables.limits,
            tables.signs,
            tables.made,
            tables.rows,
            tables.turned,
            tables.stacked,
        ):
            array[:] = 5.0
        tables.part[1] = tables.corners[0, 0] = tables.pairs[1, 0] = 5.0  # which it does not take
        tables.grid[0, 1] = tables.cube[1, 1, 0] = 5.0
        for values in (tables.shifts, tables.kinds, tables.empty):
            values[0] = 9.0
        tables.options["scale"] = 3.0
        assert np.array_equal(before, tables.step(x))
    found = {name for _, name, *_ in stale(r)}
    more = ("rows", "turned", "stacked", "grid[0,1]", "cube[1,-1]")
    read = {f"self.{name}" for name in ("scales", "shifts", "signs", "options", "limits", *more)}
    assert found == read | {"'a' in self.kinds"}


def test_values_in_lists_are_hidden_with_others(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "FACTORS", ["secret"])

    @tf.function
    def joined(x: Any) -> Any:
        return tf.strings.join([x, *FACTORS])

    with recording(values="none") as r:
        joined(tf.constant("a"))
        monkeypatch.setitem(globals(), "FACTORS", ["secret", "other"])
    ((_, name, _, traced, now),) = stale(r)
    assert (name, traced.count("str ‹"), now.count("str ‹"), "secret" in now) == ("FACTORS", 1, 2, False)


class Phases:
    def __init__(self) -> None:
        self.on, self.drop, self.rate, self.word, self.first = False, 0.5, 2.0, "a", True

    def dropped(self, x: Any) -> Any:
        return x * self.drop


phases = Phases()


def test_what_was_not_come_to_is_in_no_graph(recording: RecordFixture) -> None:
    """Behind an `if` of what the graph holds, too."""

    @tf.function
    def behind(x: Any) -> Any:
        if phases.on and phases.rate > 0:
            x = phases.dropped(x) * external
        return x * phases.rate if not phases.on or x.shape[0] == 7 else x * calls

    @tf.function
    def beyond(x: Any) -> Any:
        if phases.word == "a":
            return x + phases.rate
        return x * unread

    @tf.function
    def both(x: Any) -> Any:
        """A tensor decides; what the code sets itself is not what it was; a name of an inner function's own."""
        if phases.first:
            phases.first = False
            x = x * phases.drop
        if tf.reduce_sum(x) > 0:
            x = x * external
        scaled = lambda external: x * unread if external else x  # noqa: E731
        return scaled(True)

    with recording() as r:
        for function in (behind, beyond, both):
            function(tf.ones([2]))
        phases.on, phases.drop, phases.rate, phases.word = True, 0.9, 3.0, "b"
        globals().update(external=100, unread=200, calls=300)
    found = {(seq, name) for seq, name, *_ in stale(r)}
    assert {name for seq, name in found if seq == 1} == {"phases.on", "phases.rate"}
    assert {name for seq, name in found if seq == 2} == {"phases.word", "phases.rate"}
    assert {name for seq, name in found if seq == 3} == {
        "phases.drop",
        "external",
        "unread",
    }


class Ways:
    def __init__(self) -> None:
        self.on, self.ready, self.mode = False, False, "a"
        self.one, self.two, self.three = 2.0, 3.0, 4.0

    def finish(self) -> None:
        self.ready = True

    def short(self, x: Any) -> Any:
        return x * 2.0 if self.on and self.one > 1.0 else x + (self.two or self.three)

    def cases(self, x: Any) -> Any:
        match self.mode:
            case "b" | "c":
                return x * self.one
            case "a":
                return x * self.two
        return x * self.three

    def listed(self, x: Any) -> Any:
        mode = self.mode
        if mode in ("b", "c"):
            return x * self.one
        if mode not in ["d", "a"]:
            return x * self.three
        return x * self.two

    def named(self, x: Any) -> Any:
        if (one := self.one) > 0.0:
            return x * one
        if self.on:
            return x * self.two
        return x * self.three

    def skipped(self, x: Any) -> Any:
        for _ in range(2):
            x = x * self.one
            if not self.on:
                continue
            x = x * self.two
        return x

    def refused(self, x: Any) -> Any:
        try:
            return tf.reshape(x, [2]) * self.one
        except ValueError:
            return x * self.two

    def set_by_name(self, x: Any) -> Any:
        setattr(self, "two", 9.0)  # noqa: B010
        return x * self.two * self.one

    def guarded(self, x: Any) -> Any:
        """What is asked by a method of the user's is read, and what decides more than that."""
        if self.one < 1.0 or not isinstance(self.two, float):
            raise ValueError(self.mode)
        if self.is_large():
            raise ValueError
        if self.on:
            raise ValueError
        return x * 2.0 if not self.on else x

    def is_large(self) -> bool:
        return self.three > 5.0

    def readied(self, x: Any) -> Any:
        if not self.ready:
            x = x * self.one
            self.finish()
        return x


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (Ways.short, {"self.on", "self.two"}),
        (Ways.cases, {"self.mode", "self.two"}),
        (Ways.listed, {"self.mode", "self.two"}),
        (Ways.named, {"self.one"}),
        (Ways.skipped, {"self.one", "self.on"}),
        (Ways.refused, {"self.one"}),
        (Ways.set_by_name, {"self.one"}),
        (Ways.guarded, {"self.three", "self.on"}),
        (Ways.readied, {"self.one"}),
    ],
)
def test_ways_that_were_not_taken(method: Any, expected: set[str], recording: RecordFixture) -> None:
    ways = Ways()
    step = tf.function(method.__get__(ways))
    with recording() as r:
        step(tf.ones([2]))
        ways.on, ways.mode = True, "b"
        ways.one, ways.two, ways.three = 5.0, 6.0, 7.0
    assert {name for _, name, *_ in stale(r)} == expected


class Loops:
    def __init__(self) -> None:
        self.none, self.some, self.waiting, self.times, self.k = [], [2.0], [1.0], 0, 3.0
        self.by_name: dict[str, float] = {}

    def handle(self, x: Any) -> Any:
        return x * self.waiting.pop() * self.k

    def over_nothing(self, x: Any) -> Any:
        for place, one in enumerate(self.none):
            x = x * one * self.k + place
        return x + sum([one * self.k for one in self.by_name.values()])

    def no_times(self, x: Any) -> Any:
        for _ in range(self.times):
            x = x * self.k
        while self.times > 2:
            x = x + self.k
        return x * 2.0 if len(self.some) < 3 else x * self.k

    def over_some(self, x: Any) -> Any:
        for one in self.some:
            x = x * one * self.k
        return x

    def emptied(self, x: Any) -> Any:
        """It is empty once the function was traced."""
        for _ in self.waiting:
            x = self.handle(x)
        return x

    def counted(self, x: Any) -> Any:
        n = self.times
        while n < 2:
            x, n = x * self.k, n + 1
        return x


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (Loops.over_nothing, {"self.none", "self.by_name"}),
        (Loops.no_times, {"self.times", "len(self.some)"}),
        (Loops.over_some, {"self.some", "self.k"}),
        (Loops.emptied, {"self.k"}),
        (Loops.counted, {"self.times", "self.k"}),
    ],
)
def test_what_a_loop_reads_that_never_ran(method: Any, expected: set[str], recording: RecordFixture) -> None:
    loops = Loops()
    step = tf.function(method.__get__(loops))
    with recording() as r:
        step(tf.ones([2]))
        loops.none, loops.some, loops.by_name, loops.times, loops.k = [1.0], [2.0, 4.0], {"a": 1.0}, 1, 5.0
    assert {name for _, name, *_ in stale(r)} == expected


class Block(tf.Module):  # type: ignore[misc]
    def __init__(self, k: float) -> None:
        super().__init__()
        self.k = k

    def __call__(self, x: Any) -> Any:
        return x * self.k


def by_external(x: Any) -> Any:
    return x * external


class Classed:
    k, j, i = 2.0, 3.0, 4.0
    made = 0

    def scaled(self, x: Any) -> Any:
        return x * type(self).j

    @tf.function
    def step(self, x: Any) -> Any:
        type(self).made += 1
        x = self.scaled(x) * self.__class__.k
        return type(self).above(x) if type(self).made else x

    @classmethod
    def above(cls, x: Any) -> Any:
        return x + cls.i


def test_what_is_read_of_the_class(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    classed = Classed()
    with recording() as r:
        assert classed.step(tf.constant(1.0)) == 10.0
        for name in ("k", "j", "i"):
            monkeypatch.setattr(Classed, name, 9.0)
        assert classed.step(tf.constant(1.0)) == 10.0
    assert {found[1:3] for found in stale(r)} == {
        ("self.__class__.k", "attribute"), ("type(self).j", "attribute"), ("Classed.i", "attribute"),
    }  # fmt: skip


COUNTED: Any = [1.0, 2.0]


class Stack(tf.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.blocks, self.ends, self.unused = [Block(2.0), Block(3.0)], (by_external,), [Block(4.0)]
        self.others, self.seen = [Block(5.0)], []

    def collected(self, x: Any, seen: list[Any]) -> Any:
        seen.append(x)
        return x

    @tf.function
    def called(self, x: Any) -> Any:
        for place, block in enumerate(self.blocks):
            x = block(x) + place
        return tf.add_n([end(x) for end in self.ends])

    @tf.function
    def counted(self, x: Any) -> Any:
        return x / len(self.blocks) / len(COUNTED)

    @tf.function
    def filled(self, x: Any) -> Any:
        """By another function, while it is traced; and an item is no more than that."""
        return self.collected(x, self.seen) / len(self.seen) + self.unused[0](x)

    @tf.function
    def gone_through(self, x: Any) -> Any:
        for other in self.others:
            x = x + other.k
        return x


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("called", {("len(self.blocks)", "2", "3"), ("self.blocks[1].k", "3.0", "9.0"), ("external", "10", "7.0")}),
        ("counted", {("len(self.blocks)", "2", "3"), ("len(COUNTED)", "2", "3")}),
        ("filled", {("self.unused[0].k", "4.0", "9.0")}),
        ("gone_through", {("len(self.others)", "1", "2"), ("self.others[0].k", "5.0", "9.0")}),
    ],
)
def test_what_is_called_of_a_list_and_how_many_it_holds(
    method: str, expected: set[Any], recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Stack()
    with recording() as r:
        before = getattr(stack, method)(tf.constant(1.0))
        stack.blocks[1].k = stack.unused[0].k = stack.others[0].k = 9.0
        stack.blocks.append(Block(1.0)), stack.others.append(Block(1.0)), stack.unused.append(Block(1.0))
        monkeypatch.setitem(globals(), "external", 7.0)
        monkeypatch.setitem(globals(), "COUNTED", [0.5, 2.0, 3.0])
        assert getattr(stack, method)(tf.constant(1.0)) == before
        if method == "filled":
            stack.filled(tf.constant([1.0]))
    told = {(name, traced, now) for seq, name, _, traced, now in stale(r) if seq == 1}
    assert told == expected


class Phase(enum.Enum):
    WARM = "warm"
    COLD = "cold"


class Liar(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    __hash__ = enum.Enum.__hash__

    def __repr__(self) -> str:
        raise AssertionError


class Phased:
    def __init__(self) -> None:
        self.phase, self.liar, self.warm, self.cold = Phase.WARM, Liar.A, 2.0, 3.0

    @tf.function
    def step(self, x: Any, phase: Any = Phase.WARM) -> Any:
        if self.phase is Phase.WARM and phase == Phase.WARM:
            x = x * self.warm
        elif self.phase in (Phase.COLD, Phase.WARM):
            x = x * self.cold
        return x * 2.0 if self.liar is Liar.A else x


@pytest.mark.skipif(sys.version_info < (3, 11), reason="members are no attributes of their class in Python 3.10")
def test_members_of_an_enum(recording: RecordFixture) -> None:
    phased = Phased()
    with recording() as r:
        phased.step(tf.ones([2]))
        phased.phase, phased.liar, phased.warm, phased.cold = Phase.COLD, Liar.B, 4.0, 5.0
    assert sorted((name, traced, now) for _, name, _, traced, now in stale(r)) == [
        ("self.liar", "Liar.A", "Liar.B"),
        ("self.phase", "Phase.WARM", "Phase.COLD"),
        ("self.warm", "2.0", "4.0"),
    ]


def scaled_by(x: Any) -> Any:
    return x * 2.0


def test_a_helper_that_was_replaced(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a notebook's cell is edited and run again; not when it is run again as it was."""

    class Model:
        def scale(self, x: Any) -> Any:
            return [y * 3.0 for y in [x]][0]  # noqa: RUF015

        @tf.function
        def step(self, x: Any) -> Any:
            return scaled_by(self.scale(x))

    model = Model()
    with recording() as r:
        assert model.step(tf.constant(1.0)) == 6.0
        again = types.FunctionType(scaled_by.__code__.replace(co_firstlineno=7), globals())
        monkeypatch.setitem(globals(), "scaled_by", again)
        tf.function(lambda x: x)(1)
        assert not stale(r)
        monkeypatch.setitem(globals(), "scaled_by", lambda x: x * 5.0)
        monkeypatch.setattr(Model, "scale", lambda self, x: [y * 7.0 for y in [x]][0])  # noqa: RUF015
        assert model.step(tf.constant(1.0)) == 6.0
    found = {name: (traced.rpartition(" #")[0], now.rpartition(" #")[0]) for _, name, _, traced, now in stale(r)}
    assert found.pop("self.scale") == ("function scale", "function <lambda>")
    assert found == {"scaled_by": ("function scaled_by", "function <lambda>")}


def test_a_set_and_a_dtype(recording: RecordFixture) -> None:
    class Model:
        def __init__(self) -> None:
            self.skipped, self.made, self.dtype = {"b", "a"}, set[str](), tf.float32

        @tf.function
        def step(self, x: Any) -> Any:
            for name in ("a", "b", "c"):
                if name not in self.skipped:
                    self.made.add(name)
                    x = x * 2
            return tf.cast(x, self.dtype) if len(self.made) else x

    model = Model()
    with recording() as r:
        assert model.step(tf.constant(1)).dtype == tf.float32
        model.skipped.add("c")
        model.made.clear()
        model.dtype = tf.float16
        assert model.step(tf.constant(1)) == 2.0
    assert sorted((name, traced, now) for _, name, _, traced, now in stale(r)) == [
        ("self.dtype", "tf.float32", "tf.float16"),
        ("self.skipped", "{'a', 'b'}", "{'a', 'b', 'c'}"),
    ]


class Dropping:
    def __init__(self) -> None:
        self.rate, self.scale, self.shift = 0.5, 2.0, 3.0

    def drop(self, x: Any, training: bool, *, mode: str = "plain") -> Any:
        if mode != "plain":
            x = x * self.shift
        return x * self.rate if training else x

    def either(self, x: Any, training: bool = False) -> Any:
        """Twice, by another value each."""
        return self.drop(x, training) + self.drop(x, training=not training)

    @tf.function
    def by_flag(self, x: Any, training: bool = False, mask: Any = None) -> Any:
        rate, _unused = self.rate, self.shift
        if mask is not None:
            x = x * self.shift
        if not training:
            return x * self.scale
        return x * rate

    @tf.function
    def by_helper(self, x: Any, training: bool = False) -> Any:
        return self.drop(x * self.scale, training=training)

    @tf.function
    def by_both(self, x: Any) -> Any:
        return self.either(x * self.scale)

    @tf.function
    def by_name(self, x: Any) -> Any:
        """What another name calls, or TensorFlow, is passed something else."""
        drop = self.drop
        return self.drop(x * self.scale, False) + drop(x, True)

    @tf.function
    def by_partial(self, x: Any) -> Any:
        return dropped_always(x * self.scale)

    @tf.function
    def by_shape(self, x: Any, training: bool = False) -> Any:
        training = training or self.shift > 5.0
        y = x * self.rate if len(x.shape) == 2 or x.shape[0] is None else x
        return y * self.scale if training else y


def dropped(x: Any, training: bool = False) -> Any:
    return x * settings.rate if training else x


dropped_always = functools.partial(dropped, training=True)


def test_a_partial_that_binds_other_values(recording: RecordFixture) -> None:
    """A loss with another weight, say; one that is made anew with equal ones is the same."""

    class Trainer:
        def __init__(self, training: bool, delta: float) -> None:
            self.begin(training, delta)

        def begin(self, training: bool, delta: float) -> None:
            self.loss, self.same = (functools.partial(dropped, training=one) for one in (training, True))
            self.huber, self.mse = keras.losses.Huber(delta), keras.losses.MeanSquaredError()
            self.scale, self.kept = (functools.partial(self.scaled, by=one) for one in (delta, 2.0))

        def scaled(self, x: Any, by: float) -> Any:
            return x * by

        @tf.function
        def step(self, x: Any) -> Any:
            return self.loss(x) + self.same(x) + self.huber(x, x) + self.mse(x, x) + self.scale(x) + self.kept(x)

    trainer = Trainer(True, 0.5)
    with recording() as r:
        trainer.step(tf.ones([2]))
        trainer.begin(False, 1.0)
    assert sorted((name, traced, now) for _, name, _, traced, now in stale(r)) == [
        ("self.huber", "function Huber(…) #3", "function Huber(…) #4"),
        ("self.loss", "function partial(dropped) #1", "function partial(dropped) #2"),
        ("self.scale", "function partial(scaled) #5", "function partial(scaled) #6"),
    ]


@pytest.mark.parametrize(
    ("method", "without", "training"),
    [
        ("by_flag", {"self.scale"}, {"self.rate"}),
        ("by_helper", {"self.scale"}, {"self.scale", "self.rate"}),
        ("by_both", {"self.scale", "self.rate"}, None),
        ("by_name", {"self.scale", "self.rate", "self.shift"}, None),
        ("by_partial", {"self.scale", "settings.rate"}, None),
        ("by_shape", {"self.scale", "self.shift"}, {"self.scale"}),
    ],
)
def test_what_an_argument_decides(
    method: str, without: set[str], training: set[str] | None, recording: RecordFixture
) -> None:
    """By its value in the call, or by what is passed on; none after the code has given the parameter another."""
    dropping = Dropping()
    with recording() as r:
        getattr(dropping, method)(tf.ones([2]))
        if training is not None:
            getattr(dropping, method)(tf.ones([2]), training=True)
        dropping.rate, dropping.scale, dropping.shift, settings.rate = 0.1, 4.0, 9.0, 0.9
    expected = [without] if training is None else [without, training]
    found = [(seq, name) for seq, name, _, traced, now in stale(r) if traced != now]
    traces = sorted({seq for seq, _ in found})
    assert [{name for seq, name in found if seq == trace} for trace in traces] == expected


class DefaultNoise(keras.layers.Layer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.std = 0.5

    def call(self, x: Any, training: bool = False) -> Any:
        return x + self.std if training else x


class NoiseAround(keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.noise, self.drop = DefaultNoise(), keras.layers.Dropout(0.5)

    def call(self, x: Any, training: Any = None) -> Any:
        return self.drop(self.noise(x))


def test_what_a_layer_has_by_default_where_none_is_around_it(recording: RecordFixture) -> None:
    model = NoiseAround()
    model(tf.ones([1, 2]))
    kinds: list[Any] = [
        lambda x: model(x),
        lambda x: model(x, training=True),
        lambda x: model.noise(x),
        lambda x: model.noise(x, training=True),
    ]
    with recording() as r:
        functions = [tf.function(kind) for kind in kinds]
        for function in functions:
            function(tf.ones([1, 2]))
        model.noise.std, model.drop.rate = 0.25, 0.25
    assert {(seq, name) for seq, name, *_ in stale(r)} == {
        (2, "model.noise.std"),
        (2, "model.drop.rate"),
        (4, "model.noise.std"),
    }


def test_what_keras_passes_for_training(recording: RecordFixture) -> None:
    class Noise(keras.layers.Layer):  # type: ignore[misc]
        std = 0.5

        def call(self, x: Any, training: Any = None) -> Any:
            return x + self.std if training else x

    class Net(keras.Model):  # type: ignore[misc]
        gain = 2.0

        def __init__(self) -> None:
            super().__init__()
            self.noise, self.dense = Noise(), keras.layers.Dense(1)

        def call(self, x: Any, training: bool = False) -> Any:
            return self.dense(self.noise(x)) * self.gain if training else self.dense(self.noise(x))

    net = Net()
    net.compile("sgd", "mse")
    with recording() as r:
        net.predict(np.ones([4, 2]), verbose=0)
        assert net.gain == 2.0
        net.gain, net.noise.std = 3.0, 0.7
        assert not stale(r)
        net.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)
        net.gain, net.noise.std = 4.0, 0.9
    assert {name for _, name, *_ in stale(r)} == {"model.gain", "model.noise.std"}


def test_settings_of_layers_of_keras_own(recording: RecordFixture) -> None:
    """What their code reads of them while it is traced in training; until the model is compiled again."""
    x, y = np.ones((64, 4), "float32"), np.ones((64, 4), "float32")
    inputs = keras.Input((4,))
    drop, noise = keras.layers.Dropout(0.9, seed=1, name="drop"), keras.layers.GaussianNoise(0.1, name="noise")
    inner = keras.layers.Dropout(0.1)
    norm = keras.layers.BatchNormalization(momentum=0.5, trainable=False, name="norm")
    hidden = keras.layers.Reshape((4,))(keras.layers.TimeDistributed(inner)(keras.layers.Reshape((2, 2))(inputs)))
    model = keras.Model(inputs, drop(norm(noise(hidden))))
    model.compile("sgd", "mse")
    with recording() as r:
        model.train_on_batch(x, y), model.test_on_batch(x, y)
        drop.rate, noise.stddev, inner.rate, norm.momentum, norm.epsilon = 0.0, 0.0, 0.0, 0.9, 0.5
        assert float(np.asarray(model.train_on_batch(x, y))) > 1  # most are left out still
    told = {(name, kind, traced, now) for _, name, kind, traced, now in stale(r) if traced != now}
    assert told == {
        ("drop.rate", "layer", "0.9", "0.0"), ("noise.stddev", "layer", "0.1", "0.0"),
        ("norm.epsilon", "layer", "0.001", "0.5"),
    }  # fmt: skip
    model.compile("sgd", "mse")
    assert float(np.asarray(model.train_on_batch(x, y))) < 0.2


def test_a_function_of_keras_that_a_layer_keeps(recording: RecordFixture) -> None:
    """No call of the layer."""

    class Cell(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self, rate: float) -> None:
            super().__init__()
            self.rate, self.squash = rate, keras.activations.tanh

        def call(self, x: Any) -> Any:
            return self.squash(x) * self.rate

    cell = Cell(2.0)
    scale = tf.function(lambda x: cell(x))
    with recording() as r:  # and nothing is lost: the fixture asks
        before = scale(tf.ones([2])).numpy()
        cell.rate = 3.0
        assert (scale(tf.ones([2])).numpy() == before).all()
    assert stale(r) == [(1, "cell.rate", "attribute", "2.0", "3.0")]


def test_what_layers_read_that_a_step_of_ones_own_calls(recording: RecordFixture) -> None:
    """A rate is read in training alone; where what they are told is not known, what is read in any case."""

    class Net(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.drop, self.dense = keras.layers.Dropout(0.5), keras.layers.Dense(2, "relu", use_bias=False)
            self.beta = 1.0

        def call(self, x: Any, training: bool = False) -> Any:
            return self.dense(self.drop(x, training=training))

    net, norm = Net(), keras.layers.BatchNormalization(name="norm")
    stack = keras.Sequential([keras.layers.Dropout(0.5, name="drop"), norm])
    optimizer = keras.optimizers.SGD(0.0, clipnorm=1.0)
    x = tf.ones([4, 3])
    net(x), stack(x), optimizer.build(net.trainable_variables)

    @tf.function
    def train(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = net.beta * net(x, training=True)
        gradients = tape.gradient(y, net.trainable_variables)
        optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
        return y

    @tf.function
    def infer(x: Any) -> Any:
        return net(x, training=False)

    @tf.function
    def stacked(x: Any, flag: Any) -> Any:
        return stack(x, training=flag)

    options = {"training": True}

    @tf.function
    def opaque(x: Any) -> Any:
        return stack(x, **options)

    def values() -> dict[str, np.ndarray[Any, Any]]:
        calls = {"infer": lambda: infer(x), "on": lambda: stacked(x, True), "off": lambda: stacked(x, False)}
        return {name: np.asarray(call()) for name, call in calls.items()}

    with recording() as r:
        train(x), opaque(x), values()
        net.drop.rate, net.dense.activation, optimizer.clipnorm = 0.25, keras.activations.tanh, 3.0
        optimizer.momentum = 0.5  # behind `if self.momentum != 0`: what that asks is read
        optimizer.clipvalue = 0.1  # the way that asks for it was not taken
        stack.layers[0].rate, norm.epsilon = 0.0, 0.5
        before = values()
    names = {trace.seq: trace.function.name for trace in r.traces}
    found = [one for one in stale(r) if one[3] != one[4]]  # else a trace that has not read it
    told = {(names[seq], name, kind, traced, now) for seq, name, kind, traced, now in found}
    tanh = ("net.dense.activation", "layer", "function relu #1", "function tanh #2")
    assert told == {
        ("train", "net.drop.rate", "layer", "0.5", "0.25"), ("train", *tanh), ("infer", *tanh),
        ("train", "optimizer.clipnorm", "layer", "1.0", "3.0"), ("train", "optimizer.momentum", "layer", "0.0", "0.5"),
        ("stacked", "drop.rate", "layer", "0.5", "0.0"), ("stacked", "norm.epsilon", "layer", "0.001", "0.5"),
        ("opaque", "norm.epsilon", "layer", "0.001", "0.5"),
    }  # fmt: skip
    assert [seq for seq, name, *_ in found if name == "drop.rate"] == [
        next(seq for seq, name in names.items() if name == "stacked")
    ]
    after = {"infer": np.asarray(net(x)), "off": np.asarray(stack(x))}
    assert all(np.any(before[name] != after[name]) for name in after)


def test_layers_are_gone_through_again_where_one_is_another_or_has_changed(recording: RecordFixture) -> None:
    drop = keras.layers.Dropout(0.5, name="drop")
    net = keras.Sequential([keras.layers.Dense(2, name="wide"), drop])

    @tf.function
    def step(x: Any) -> Any:
        return net(x, training=True)

    net.build((None, 3))
    with recording() as r:
        step(tf.ones([2, 3])), step(tf.ones([3, 3]))
        drop.rate = 0.25
        step(tf.ones([4, 3]))
        net.add(keras.layers.Dropout(0.125, name="late"))
        step(tf.ones([5, 3]))
        drop.rate, net.layers[-1].rate = 0.5, 0.0
    assert [(seq, name, then, now) for seq, name, _, then, now in stale(r) if then] == [
        (1, "drop.rate", "0.5", "0.25"), (2, "drop.rate", "0.5", "0.25"),
        (1, "drop.rate", "0.5", "0.5"), (2, "drop.rate", "0.5", "0.5"),
        (3, "drop.rate", "0.25", "0.5"), (4, "drop.rate", "0.25", "0.5"), (4, "late.rate", "0.125", "0.0"),
    ]  # fmt: skip


def test_what_was_written_to_a_tensor_array_that_is_passed_again(recording: RecordFixture) -> None:
    @tf.function
    def total(array: Any) -> Any:
        return tf.reduce_sum(array.stack())

    @tf.function
    def named(array: Any, whole: bool = False) -> Any:
        return array.stack() if whole else array.size()

    kept, other = (
        tf.TensorArray(tf.float32, size=2, element_shape=[2], clear_after_read=False).unstack([[1.0, 0.0], [2.0, 0.0]])
        for _ in range(2)
    )
    with recording() as r:
        assert (total(kept), total(other), named(kept)) == (3.0, 3.0, 2)
        kept = kept.write(0, [10.0, 0.0])
        assert (total(kept), kept.stack()[0, 0], named(kept)) == (3.0, 10.0, 2)
    assert [trace.function.name for trace in r.traces] == ["total", "total", "named"]
    assert stale(r) == [(1, "array", "argument", "elements of then", "other elements")]


def test_an_optimizer_of_a_compiled_model(recording: RecordFixture) -> None:
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(0.1, clipvalue=0.5), "mse")
    x, y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")
    with recording() as r:
        model.train_on_batch(x, y), model.test_on_batch(x, y)
        model.optimizer.learning_rate = 0.2  # a variable
        model.optimizer.clipvalue = 0.25
    assert {told[1:] for told in stale(r)} == {("model.optimizer.clipvalue", "layer", "0.5", "0.25")}


@pytest.mark.parametrize("how", ["os.environ['SCALE']", "os.environ.get('SCALE', '1')", "os.getenv('SCALE')"])
def test_variables_of_the_environment(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("SCALE", "2")
    functions = {
        "os.environ['SCALE']": lambda x: x * float(os.environ["SCALE"]),
        "os.environ.get('SCALE', '1')": lambda x: x * float(os.environ.get("SCALE", "1")),
        "os.getenv('SCALE')": lambda x: x * float(os.getenv("SCALE", "1")),
    }
    scaled = tf.function(functions[how])
    with recording() as r:
        assert scaled(tf.constant(1.0)) == 2.0
        monkeypatch.setenv("SCALE", "3")
        assert scaled(tf.constant(1.0)) == 2.0
    assert stale(r) == [(1, "os.environ['SCALE']", "attribute", "'2'", "'3'")]


def test_what_arguments_leave_out_is_not_read(recording: RecordFixture) -> None:
    """By a Python value that is passed, or by a tensor's static shape; not where the code, or what is around it, makes
    another value of it."""

    class Model(tf.Module):
        def __init__(self) -> None:
            self.drop, self.rate = 0.5, 2.0

        @tf.function
        def __call__(self, x: Any, training: bool = False) -> Any:
            if training:
                x = x * self.drop
            return x * self.rate

    @tf.function
    def early(x: Any) -> Any:
        if x.shape[-1] == 1:
            return x + phases.rate
        return x * phases.drop if x.shape.rank == 1 else x

    @tf.function
    def negated(x: Any, training: bool) -> Any:
        training = not training
        return x * phases.drop if training else x

    def opposite(function: Any) -> Any:
        return functools.wraps(function)(lambda x, training: function(x, not training))

    @tf.function
    @opposite
    def wrapped(x: Any, training: bool) -> Any:
        return x * phases.drop if training else x

    phases, model, one, two = Phases(), Model(), tf.ones([1]), tf.ones([2])
    with recording() as r:
        model(one), model(one, training=True)
        early(one), early(two), early(tf.ones([2, 2]))
        negated(one, True), negated(one, False)
        wrapped(one, True), wrapped(one, False)
        before = [float(model(one)[0]), float(early(one)[0]), float(wrapped(one, True)[0])]
        phases.drop, phases.rate, model.drop, model.rate = 0.9, 3.0, 0.9, 3.0
        assert [float(model(one)[0]), float(early(one)[0]), float(wrapped(one, True)[0])] == before == [2.0, 3.0, 1.0]
    found = {(seq, name) for seq, name, _, traced, now in stale(r) if traced != now}
    assert found == {
        (1, "self.rate"), (2, "self.rate"), (2, "self.drop"),
        (3, "phases.rate"), (4, "phases.drop"),
        *((seq, "phases.drop") for seq in (6, 7, 8, 9)),
    }  # fmt: skip
    unread = {(seq, name) for seq, name, _, *texts in stale(r) if texts == ["", ""]}
    assert unread == {(1, "self.drop"), (3, "phases.drop"), (4, "phases.rate"), (5, "phases.rate"), (5, "phases.drop")}


def test_arrays_that_were_changed_in_place_or_replaced(recording: RecordFixture) -> None:
    """By number, as nothing of what is in them is told; of one that a row is taken of nothing is."""

    class Model:
        def __init__(self) -> None:
            self.mean, self.table, self.large = np.zeros(2, np.float32), np.ones([2, 2], np.float32), np.zeros(10_000)

        @tf.function
        def call(self, x: Any) -> Any:
            return (
                (x - self.mean) * self.table[0]
                + tf.reduce_sum(tf.constant(self.large, tf.float32))
                + tf.cast(tf.constant(WEIGHTS), tf.float32)
            )

    model = Model()
    with recording() as r:
        assert model.call(tf.ones([2]))[0] == 4.0
        model.mean = np.ones(2, np.float32)
        model.table[1] = 7.0
        WEIGHTS[0] = 5.0
        other = tf.function(lambda x: x)
        other(1)
        WEIGHTS[0] = 3.0
        assert model.call(tf.ones([2]))[0] == 4.0
    found = [found[1:] for found in stale(r)]
    assert sorted(one[:2] for one in found[:2]) == [("WEIGHTS", "global"), ("self.mean", "attribute")]
    assert len({text for one in found[:2] for text in one[2:]}) == 4
    assert [one[0] for one in found[2:]] == ["WEIGHTS"]
    assert found[2][2] == found[2][3]  # as it was


class Plain:
    """Nothing that TensorFlow tracks: of another one in its place what it reads is told."""

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: Any) -> Any:
        return x * self.k

    def scaled(self, x: Any) -> Any:
        return x * self.k


def doubled(x: Any) -> Any:
    """As it was written first."""
    return x * 2.0


def tripled(x: Any) -> Any:
    return x * 3.0


def with_defaults(x: Any, gain: float = 2.0, *, shift: float = 1.0) -> Any:
    return x * gain + shift


RATES: Any = {"slow": 0.5, "fast": 2.0}
LEVELS: Any = [1.0, 2.0, 3.0]
SHIFTS: Any = {"slow": doubled, "fast": tripled}
WHICH: Any = "slow"


class Replaced(tf.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.blocks, self.plain, self.functions = [Block(2.0), Block(3.0)], [Plain(2.0), Plain(3.0)], [doubled, tripled]
        self.one, self.own, self.place, self.kept = Plain(5.0), Plain(6.0), 1, {"slow": 1.0}
        self.word, self.weights = "slow", [1.0, 2.0]

    def documented(self, x: Any) -> Any:
        return doubled(x)

    def by_default(self, x: Any) -> Any:
        return with_defaults(x)

    def warned(self, x: Any) -> Any:
        warnings.warn(f"{external}", stacklevel=2)
        return x

    def by_names(self, x: Any) -> Any:
        return x * RATES[WHICH] * LEVELS[self.place]

    def by_own(self, x: Any) -> Any:
        return x * self.kept[self.word]

    def wrapped(self, x: Any) -> Any:
        """tf.Module makes lists and dictionaries of its own of them."""
        for weight, name in zip(self.weights, self.kept, strict=False):
            x = x * weight + len(name)
        return x + sum(self.kept.values())

    def by_turns(self, x: Any) -> Any:
        for place in range(2):
            x = x * LEVELS[place]
        return x + sum([self.weights[place - 1] for place in range(2, 3)])

    def by_local(self, x: Any) -> Any:
        for place in range(len(self.blocks)):
            x = x * LEVELS[place]
        for place in range(2):
            x = x * (LEVELS[place] if place != 1 else 1.0)
        return x

    def filled(self, x: Any) -> Any:
        self.kept[WHICH] = 3.0
        return x * self.kept[WHICH]

    def function_by_name(self, x: Any) -> Any:
        return SHIFTS[WHICH](x)

    def modules(self, x: Any) -> Any:
        for block in reversed(self.blocks):
            x = block(x)
        return x

    def side_by_side(self, x: Any) -> Any:
        for place, (function, block) in enumerate(zip(self.functions, self.blocks, strict=True)):
            x = block(function(x)) + place
        return x

    def plain_ones(self, x: Any) -> Any:
        for plain in self.plain:
            x = plain(x)
        return self.one.scaled(x)

    def its_own(self, x: Any) -> Any:
        self.own = Plain(self.own.k + 1.0)
        return self.own(x)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("documented", {}),
        ("by_default", {"with_defaults": "function with_defaults #2"}),
        ("warned", {}),
        ("by_names", {"RATES[WHICH]": "2.0", "LEVELS[self.place]": "9.0", "WHICH": "'fast'"}),
        ("by_own", {"self.kept[self.word]": "9.0"}),
        (
            "wrapped",
            {"self.weights": "[1.0, 9.0]", "self.kept": "{'slow': 9.0, 'fast': 8.0}"},
        ),
        ("by_turns", {"LEVELS[1]": "9.0", "self.weights[1]": "9.0"}),
        ("by_local", None),
        ("filled", {"WHICH": "'fast'"}),
        ("function_by_name", {"SHIFTS[WHICH]": "function tripled #2", "WHICH": "'fast'"}),
        ("modules", {"self.blocks[1]": "Block #"}),
        ("side_by_side", {"self.functions[0]": "function tripled #", "self.blocks[1]": "Block #"}),
        ("plain_ones", {"self.plain[1].k": "9.0", "self.one.k": "8.0"}),
        ("its_own", {}),
    ],
)
def test_what_was_replaced_by_another(
    method: str, expected: dict[str, str] | None, recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told is what makes another graph: a trace that is made anew computes something else just then."""
    holder = Replaced()
    step = tf.function(getattr(holder, method))
    for name, value in (("RATES", dict(RATES)), ("LEVELS", list(LEVELS)), ("SHIFTS", dict(SHIFTS))):
        monkeypatch.setitem(globals(), name, value)
    with recording() as r, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = step(tf.constant(1.0)).numpy()
        holder.blocks[1], holder.plain[1], holder.functions[0] = Block(9.0), Plain(9.0), tripled
        holder.one, holder.weights[1] = Plain(8.0), 9.0
        RATES["slow"] = LEVELS[1] = 9.0
        SHIFTS["slow"] = tripled
        if method != "its_own":
            holder.kept = {"slow": 9.0, "fast": 8.0}
        others = types.FunctionType(with_defaults.__code__, globals(), "with_defaults", (9.0,))
        others.__kwdefaults__ = {"shift": 1.0}
        monkeypatch.setitem(globals(), "with_defaults", others)
        monkeypatch.setitem(globals(), "doubled", edited())
        monkeypatch.setitem(globals(), "external", 100)
        monkeypatch.setitem(globals(), "WHICH", "fast")
        assert step(tf.constant(1.0)).numpy() == before
    told = {name: now for _, name, _, _, now in stale(r)}
    if expected is None:  # which items a loop reads is not known
        assert not told
        return
    assert told.keys() == expected.keys()
    assert all(told[name].startswith(now) for name, now in expected.items())
    if method not in ("its_own", "filled"):  # these change with each trace
        anew = tf.function(getattr(Replaced, method))(holder, tf.constant(1.0)).numpy()
        assert (anew != before) == bool(told)


class Choice:
    def __init__(self, word: str) -> None:
        self.word, self.kept = word, {"slow": 1.0, "fast": 2.0}

    def rated(self, x: Any, other: Any) -> Any:
        return x * RATES[other.word] * other.kept[self.word] * other.kept[other.word]


def test_a_key_is_looked_up_in_what_it_is_written_of(recording: RecordFixture) -> None:
    """Of two objects that are arguments each has a word of its own; an item by the other's word is not told."""
    one, other = Choice("slow"), Choice("fast")
    step = tf.function(Choice.rated)
    with recording() as r:
        assert step(one, tf.constant(1.0), other) == 2.0 * 1.0 * 2.0
        one.kept, other.kept = {"slow": 7.0, "fast": 7.0}, {"slow": 3.0, "fast": 2.0}
    assert not stale(r)
    with recording() as r:
        another = Choice("slow")
        step(another, tf.constant(1.0), other)
        other.kept["fast"] = 5.0
    assert [found[1:] for found in stale(r)] == [("other.kept[other.word]", "attribute", "2.0", "5.0")]


def edited() -> Any:
    """`doubled` with another docstring, as a cell that was run again makes it."""
    space: dict[str, Any] = {"__name__": __name__}
    text = "from typing import Any\n\n\ndef doubled(x: Any) -> Any:\n    'Another.'\n    return x * 2.0\n"
    exec(compile(text, __file__, "exec"), space)
    return space["doubled"]


def test_a_docstring_that_the_code_returns_is_a_part_of_it() -> None:
    def one() -> str:
        """A"""
        return "A"

    def other() -> str:
        """B"""
        return "B"

    def documented() -> int:
        """A"""
        return 1

    def edited() -> int:
        """B"""
        return 1

    def undocumented() -> int:
        return 1

    def to_end() -> None:
        print(1)

    def to_documented_end() -> None:
        """A"""
        print(1)

    def of(function: Any) -> bytes:
        found = code_of_function(function)
        assert found is not None
        return found.digest

    assert of(one) != of(other)
    assert of(documented) == of(edited) == of(undocumented) != of(one)
    assert of(to_end) == of(to_documented_end)


table = np.full(9, 0.5, "float32")
tables = [np.full(9, 0.5, "float32"), 2.0]
buffer = np.zeros(9, "float32")
long_list = [float(n) for n in range(20)]
large = np.zeros(8192, "float64")
too_large = np.zeros(8193, "float64")


def test_arrays_that_are_changed_in_place(recording: RecordFixture) -> None:
    """Of an array a graph has the numbers as a constant."""
    holder = types.SimpleNamespace(rates=np.full(9, 0.5, "float32"))

    @tf.function
    def whole(x: Any) -> Any:
        return x * table

    @tf.function
    def item(x: Any) -> Any:
        return x * table[3] + table[-1]

    @tf.function
    def by_methods(x: Any) -> Any:
        return x * holder.rates.sum() + tf.reduce_sum(table.T)

    @tf.function
    def of_a_list(x: Any) -> Any:
        return x * tf.reduce_sum([tf.reduce_sum(one) for one in tables])

    @tf.function
    def not_of_numbers(x: Any) -> Any:
        return x * len(table) + table.shape[0]

    @tf.function
    def fills(x: Any) -> Any:
        buffer.fill(1.0)
        return x + buffer.sum()

    @tf.function
    def at_the_bound(x: Any) -> Any:
        return x + large.max() + too_large.max()

    functions = (whole, item, by_methods, of_a_list, not_of_numbers, fills, at_the_bound)
    with recording() as r:
        before = [function(tf.ones([9])) for function in functions]
        for array in (table, holder.rates, tables[0], buffer, large, too_large):
            array[3] = 7.0  # type: ignore[index]
        for function, result in zip(functions, before, strict=True):
            assert (function(tf.ones([9])).numpy() == result.numpy()).all()  # none of it is read again
    found = {(seq, name) for seq, name, *_ in stale(r)}
    assert found == {
        (1, "table"), (2, "table[3]"), (3, "holder.rates"), (3, "table"), (4, "tables"), (7, "large"),
    }  # fmt: skip
    table[3] = 0.5
    (text,) = [(traced, now) for _, name, _, traced, now in stale(r) if name == "tables"]
    assert text == ("[array of float32 (9,), …]", "[array of float32 (9,), …], with other values")


def test_what_changed_further_on_is_told_apart(recording: RecordFixture) -> None:
    """Texts of long values are cut: equal ones would say that nothing is stale."""
    global external
    external = "a" * 80
    weights = {str(n): n for n in range(20)}

    @tf.function
    def step(x: Any) -> Any:
        return x * sum(long_list) * sum(weights.values()) * (1.0 if "b" in external else 2.0)

    with recording() as r:
        step(tf.ones([1]))
        long_list[15] = weights["15"] = 100
        external = "a" * 79 + "b"
        step(tf.ones([1]))
    assert {(name, traced, now) for _, name, _, traced, now in stale(r)} == {
        ("long_list", "[…, 15.0, …]", "[…, 100, …]"),
        ("weights", "{…, '15': 15, …}", "{…, '15': 100, …}"),
        ("external", "…'aaaaaaaaa'", "…'aaaaaaaab'"),
    }
    long_list[15] = 15.0


def told(r: Recorded) -> set[tuple[int, str]]:
    """What is stale, and no matter of which graph the program calls."""
    return {(value.seq, value.name) for value in r.stale if value.kind != "chosen" and value.traced != value.now}


def test_models_that_freeze_one_another_before_each_call(recording: RecordFixture) -> None:
    """As GANs do: each graph trains what was to be trained when it was traced, and is called when that is so again."""
    judge = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, name="judge")])
    judge.compile("sgd", "mse")
    inputs = keras.Input((2,))
    both = keras.Model(inputs, judge(keras.layers.Dense(4, name="maker")(inputs)))
    both.compile("sgd", "mse")
    with recording() as r:
        for _ in range(2):
            judge.trainable = True
            judge.train_on_batch(np.ones((2, 4)), np.ones((2, 1)))
            judge.trainable = False
            both.train_on_batch(np.ones((2, 2)), np.ones((2, 1)))
    assert told(r) == set()
    assert {(value.name, value.kind) for value in r.stale} == {("judge.trainable", "chosen")}


def test_a_model_within_a_model_that_is_frozen_too_late(recording: RecordFixture) -> None:
    base = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, name="inner")], name="base")
    model = keras.Sequential([keras.Input((4,)), base, keras.layers.Dense(1, name="head")])
    model.compile("sgd", "mse")
    with recording() as r:
        model.train_on_batch(np.ones((2, 4)), np.ones((2, 1)))
        base.trainable = False
        before = base.get_weights()[0]
        model.train_on_batch(np.ones((2, 4)), np.ones((2, 1)))
        assert (base.get_weights()[0] != before).any()  # it is trained all the same
    assert {name for _, name in told(r)} == {"base.trainable", "inner.trainable"}


def test_a_step_that_is_told_what_is_frozen(recording: RecordFixture) -> None:
    """By an argument calls find the graph that fits; by a size they find what was traced for it."""
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, name="first"), keras.layers.Dense(1)])

    @tf.function
    def step(x: Any, frozen: bool) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        return tape.gradient(loss, model.trainable_variables)

    with recording() as r:
        for frozen in (True, False, True, False):
            model.layers[0].trainable = not frozen
            assert len(step(tf.ones([1, 4]), frozen)) == (2 if frozen else 4)
    assert told(r) == set()
    with recording() as r:
        model.layers[0].trainable = False
        step(tf.ones([2, 4]), False)
        model.layers[0].trainable = True
        step(tf.ones([3, 4]), False)
    assert {name for _, name in told(r)} == {"first.trainable"}


class Integrator:
    def __init__(self, **options: Any) -> None:
        self.options = {"substeps": 2, **options}
        self.step = tf.function(functools.partial(self._step, method=self.options["method"]))

    def _step(self, x: Any, method: str = "") -> Any:
        if method == "euler":
            return x + 1
        return x * self.options["substeps"]


def test_a_method_that_a_partial_is_of(recording: RecordFixture) -> None:
    """The partial tells which way its `if` goes; the method is that of one instance."""
    with recording() as r:
        integrators = [Integrator(method=method) for method in ("euler", "rk4")]
        for one in integrators:
            one.step(tf.constant(3))
            one.options["substeps"] = 4
        assert [int(one.step(tf.constant(3))) for one in integrators] == [4, 6]
    first, second = stale(r)
    assert first == (2, "self.options['substeps']", "attribute", "2", "4")
    assert second == (1, "self.options['substeps']", "attribute", "", "")  # that one has not read it
    causes = [(change.cause, change.path) for change in r.traces[1].changes]
    assert causes == [("object_identity", "self"), ("python_value", "method")]


class Annealed:
    """As a script has one that its `main` makes, and that is gone before recording ends."""

    def __init__(self, rate: float, variable: Any) -> None:
        self.rate, self.beta, self.variable = rate, 1.0, variable

    @tf.function
    def step(self, x: Any) -> Any:
        return x * self.beta * self.rate

    def anneal(self) -> None:
        for _ in range(3):
            self.step(tf.constant(1.0))
            self.beta *= 0.5


@pytest.mark.parametrize("variable", [None, tf.constant(1.0)], ids=["plain", "tensors"])
def test_what_an_object_holds_when_it_is_freed(recording: RecordFixture, variable: Any) -> None:
    def main() -> weakref.ReferenceType[Any]:
        one = Annealed(0.5, variable)
        one.anneal()
        return weakref.ref(one)

    with recording() as r:
        assert [main()() for _ in range(2)] == [None, None]
    assert stale(r) == [(n, "self.beta", "attribute", "1.0", "0.125") for n in (1, 2)]


def test_what_an_object_of_two_functions_holds_when_it_is_freed(recording: RecordFixture) -> None:
    """TensorFlow's own weak reference, by which a method's graphs go, is made when that is asked for."""

    class Alternating(Annealed):
        @tf.function
        def other(self, x: Any) -> Any:
            return x * self.beta

        def anneal(self) -> None:
            self.step(tf.constant(1.0))
            self.other(tf.constant(1.0))
            super().anneal()

    def main() -> None:
        Alternating(0.5, tf.constant(1.0)).anneal()

    with recording() as r:
        main()
    assert stale(r) == [(n, "self.beta", "attribute", "1.0", "0.125") for n in (1, 2)]


def test_an_object_that_is_called_is_itself_when_it_is_freed(recording: RecordFixture) -> None:
    class Net(tf.Module):  # type: ignore[misc]
        def __call__(self, x: Any) -> Any:
            return x * 2.0

    @tf.function
    def step(net: Any, x: Any) -> Any:
        return net(x)

    with recording() as r:
        for _ in range(3):
            assert float(step(Net(), tf.constant(1.0))) == 2.0
    assert len(r.traces) == 3
    assert stale(r) == []


def test_what_a_function_closes_over_when_it_is_freed(recording: RecordFixture) -> None:
    def main() -> None:
        settings, calm = {"rate": 1.0}, {"rate": 2.0}

        @tf.function
        def step(x: Any) -> Any:
            return x * settings["rate"] * calm["rate"]

        for _ in range(2):
            step(tf.constant(1.0))
            settings["rate"] *= 0.5

    with recording() as r:
        main()
    assert [(name, traced, now) for _, name, _, traced, now in stale(r)] == [("settings['rate']", "1.0", "0.25")]


class Faded(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="faded")
        self.rate = 1.0

    def call(self, x: Any) -> Any:
        return x * self.rate


def test_what_a_layer_holds_that_is_freed_after_the_function(recording: RecordFixture) -> None:
    """Keras' models refer to themselves, and stay until Python's collector comes."""

    def main() -> None:
        model = keras.Sequential([keras.Input([2]), Faded()])

        @tf.function
        def step(x: Any) -> Any:
            return model(x)

        for _ in range(2):
            step(tf.ones([1, 2]))
            model.layers[-1].rate *= 2

    with recording() as r:
        main()
    assert [(name, traced, now) for _, name, _, traced, now in stale(r)] == [("faded.rate", "1.0", "4.0")]


class MovingAverage:
    def __init__(self, decay: float) -> None:
        self.decay = decay
        self.shadow = {"w": tf.Variable(1.0)}

    def update(self, value: Any) -> None:
        self.shadow["w"].assign(self.decay * self.shadow["w"] + (1 - self.decay) * value)


def test_what_a_helper_object_holds_when_graphs_go_before_it(recording: RecordFixture) -> None:
    """Each run has one of its own, and another number to begin with."""

    def run(decay: float) -> None:
        averaged, other = MovingAverage(decay), MovingAverage(0.0)
        w = tf.Variable(2.0)

        @tf.function
        def step(x: Any) -> Any:
            averaged.update(w)
            return x * w

        @tf.function
        def unused(x: Any) -> Any:
            averaged.update(w)
            other.update(w)
            return x

        for _ in range(3):
            step(tf.constant(1.0))
            averaged.decay = 0.5

    with recording() as r:
        run(0.9)
        run(0.8)
    assert stale(r) == [(n, "averaged.decay", "attribute", traced, "0.5") for n, traced in ((1, "0.9"), (2, "0.8"))]


def test_what_later_instances_have_of_their_own_takes_nothing_over(recording: RecordFixture) -> None:
    """Of a later trace of another instance it is known that it has read another value."""

    class Cooled:
        def __init__(self) -> None:
            self.t = 4.0

        @tf.function
        def step(self, x: Any) -> Any:
            return x / self.t

    with recording() as r:
        for _ in range(2):
            one = Cooled()
            for size in (4, 4, 2):
                one.step(tf.ones([size]))
                one.t *= 0.5
        del one
    told = {(n, kind): (traced, now) for n, _, kind, traced, now in stale(r)}  # as it was when it was freed
    of_each = [("4.0", "0.5"), ("1.0", "0.5")] * 2
    assert told == {(n, "attribute"): values for n, values in enumerate(of_each, 1)}


def test_a_graph_that_is_replaced_once_its_object_changes_is_not_stale(recording: RecordFixture) -> None:
    class Remade:
        def __init__(self, averaged: MovingAverage) -> None:
            self.averaged = averaged
            self.make()

        def make(self) -> None:
            averaged = self.averaged

            @tf.function
            def run(x: Any) -> Any:
                averaged.update(x)
                return x

            self.run = run

    with recording() as r:
        remade = Remade(MovingAverage(0.9))
        remade.run(tf.constant(1.0))
        remade.averaged.decay = 0.5
        remade.make()  # and not called any more
        gc.collect()
    assert stale(r) == []


class Node(dict):  # type: ignore[type-arg]
    """As yacs' CfgNode: items are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("run by the recorder")


class Get(dict):  # type: ignore[type-arg]
    __getattr__ = dict.get


def test_a_dictionary_that_gives_its_items_as_attributes(recording: RecordFixture) -> None:
    config = Node(LOSS=Get(alpha=0.5))

    @tf.function
    def step(x: Any) -> Any:
        return x * config.LOSS.alpha

    with recording() as r:
        Node.__getattr__, kept = lambda self, name: self[name], Node.__getattr__  # type: ignore[method-assign]
        step(tf.constant(1.0))
        Node.__getattr__ = kept  # type: ignore[method-assign]
        config["LOSS"]["alpha"] = 0.25
    assert [values for _, *values in stale(r)] == [["config.LOSS.alpha", "attribute", "0.5", "0.25"]]


def test_a_plain_method_that_a_dataset_is_given(recording: RecordFixture) -> None:
    class Loader:
        def __init__(self) -> None:
            self.size = 4

        def resize(self, x: Any) -> Any:
            return x[: self.size]

        def scale(self, x: Any, k: int) -> Any:
            return x * k * self.size

    loader = Loader()
    with recording() as r:
        data = tf.data.Dataset.from_tensor_slices(tf.zeros([2, 8], tf.int32))
        kept = [data.map(loader.resize), data.map(functools.partial(loader.scale, k=2))]
        loader.size = 6
    assert [values for _, *values in stale(r)] == [["self.size", "attribute", "4", "6"]] * len(kept)


def test_a_plain_method_that_datasets_are_given_one_after_the_other(recording: RecordFixture) -> None:
    """One Python function, of which tf.data makes a function for each."""

    class Loader:
        size = 0

        def resize(self, x: Any) -> Any:
            return x[: self.size]

    loader = Loader()
    with recording() as r:
        data = tf.data.Dataset.from_tensor_slices(tf.zeros([2, 8], tf.int32))
        for size in (4, 6):
            loader.size = size
            iterator = iter(data.map(loader.resize))
            iterator.itself = iterator  # type: ignore[attr-defined]  # there until Python collects it
            next(iterator)
        del iterator
    latest = {(seq, name): kind for seq, name, kind, _, _ in stale(r)}
    assert {*latest.values()} == {CHOSEN}


LOCAL_RATES = {"rate": 1.0}


def test_each_graph_of_a_function_that_goes_with_the_one_that_made_it(recording: RecordFixture) -> None:
    """Its later graphs go before the Python function does; the one that made the variables is called no more."""

    def main(is_variable_there: bool) -> None:
        settings = argparse.Namespace(rate=1.0)
        variables = [tf.Variable(1.0)] if is_variable_there else []

        @tf.function
        def step(x: Any) -> Any:
            if not variables:
                variables.append(tf.Variable(1.0))
            return x * settings.rate * LOCAL_RATES["rate"] * variables[0]

        for _ in range(2):
            step(tf.ones([3]))
            step(tf.ones([2]))
            settings.rate *= 0.5
            LOCAL_RATES["rate"] *= 0.5

    for is_variable_there in (True, False):
        LOCAL_RATES["rate"] = 1.0
        with recording() as r:
            main(is_variable_there)
        called = {t.seq for t in r.traces if t.function.name == "step" and (t.kind != "first" or is_variable_there)}
        told = {(seq, name, traced, now) for seq, name, _, traced, now in stale(r) if seq in called}
        names = ("settings.rate", "LOCAL_RATES['rate']")
        assert told == {(seq, name, "1.0", "0.25") for seq in called for name in names}
        assert len(called) >= 2


def test_a_function_that_is_made_again_for_another_value_is_not_stale(recording: RecordFixture) -> None:
    """`rate` is one cell of the loop's function, and the flag is set before the function is made again."""

    class Flagged:
        def __init__(self) -> None:
            self.train = True
            self.compile()

        def compile(self) -> None:
            self.run = tf.function(self._run)

        def _run(self, x: Any) -> Any:
            return x * 2.0 if self.train else x

    def main() -> None:
        for rate in (0.5, 0.25, 0.125):

            @tf.function
            def step(x: Any) -> Any:
                return x * rate  # noqa: B023

            assert float(step(tf.constant(1.0))) == rate
        flagged = Flagged()
        flagged.run(tf.constant(1.0))
        flagged.train = False
        flagged.compile()
        flagged.run(tf.constant(1.0))

    with recording() as r:
        main()
        gc.collect()
    assert stale(r) == []


class Scaler:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def scale(self, x: Any) -> Any:
        return x * self.rate


scaler = Scaler(1.0)


@pytest.mark.parametrize("is_kept", [False, True])
def test_an_object_that_another_takes_the_place_of_before_the_function_is_made_again(
    recording: RecordFixture, is_kept: bool
) -> None:
    """The first one goes while the function that read it is still there, for one line."""
    global scaler
    kept = []
    with recording() as r:
        for rate in (0.5, 0.25):
            scaler = Scaler(rate)

            @tf.function
            def step(x: Any) -> Any:
                return scaler.scale(x)  # noqa: B023

            assert float(step(tf.constant(1.0))) == rate
            kept.append(step if is_kept else None)
        del step
    told = {(name, traced, now) for _, name, _, traced, now in stale(r)}
    assert told == ({("scaler.rate", "0.5", "0.25")} if is_kept else set())


def test_a_function_that_is_made_again_for_the_same_value_takes_no_place(recording: RecordFixture) -> None:
    """Each of the two changes while its own instance is there."""

    class Agent:
        def __init__(self) -> None:
            self.gamma = 0.99

        @tf.function
        def update(self, x: Any, alpha: Any) -> Any:
            return x * self.gamma + alpha

    with recording() as r:
        for _ in range(2):
            agent = Agent()
            agent.update(tf.constant(1.0), 0.1)
            agent.gamma = 0.9
            agent.update(tf.constant(1.0), 0.2)
    seqs = [trace.seq for trace in r.traces]
    told = {seq: now for seq, name, _, _, now in stale(r) if name == "self.gamma"}
    assert told == {seqs[0]: "0.9", seqs[2]: "0.9"}


def test_objects_that_are_looked_at_when_they_are_freed_are_not_kept(recording: RecordFixture) -> None:
    """Also where a dictionary of nothing but numbers leads to its own object later; `__del__` is not run twice."""
    freed: list[float] = []

    class Counted(Annealed):
        def __del__(self) -> None:
            freed.append(self.beta)

    with recording():
        one, itself, counted = Annealed(0.5, tf.constant(1.0)), Annealed(0.5, None), Counted(0.5, None)
        for each in (one, itself, counted):
            each.anneal()
        gone = [weakref.ref(each) for each in (one, itself, counted)]
        held = weakref.ref(one.variable)
        itself.variable = itself
        del one, itself, counted, each
        gc.collect()
        assert [reference() for reference in (*gone, held)] == [None] * 4
        assert freed == [0.125]


def test_what_is_read_in_less_usual_ways(recording: RecordFixture) -> None:
    """A deque, objects by `*args`, in a list that is unpacked or gone through, by default, and by `with … as`."""

    class Rated:
        def __init__(self) -> None:
            self.rate = 2.0

        def __enter__(self) -> Rated:
            return self

        def __exit__(self, *error: object) -> None:
            pass

    window = collections.deque([1.0, 2.0], maxlen=2)
    rates = [1.0, 2.0, 2.0]
    rated, kept = Rated(), Rated()

    def scaled(x: Any, by: Any = kept) -> Any:
        return x * by.rate

    def reduced(total: Any, x: Any) -> Any:
        return total + x * kept.rate

    @tf.function
    def of_deque(x: Any) -> Any:
        return x * sum(window) * window[0]

    @tf.function
    def of_slice(x: Any) -> Any:
        return x * sum(rates[1:])

    @tf.function
    def of_unpacked(x: Any, pair: Any) -> Any:
        first, second = pair
        return x * first.rate * second.rate

    @tf.function
    def of_loop(x: Any, several: Any) -> Any:
        for one in several:
            x = x * one.rate
        return x

    @tf.function
    def of_places(*args: Any) -> Any:
        return args[0] * args[1].rate

    @tf.function
    def of_spread(*args: Any, **options: Any) -> Any:
        return scaled(*args, **options)

    @tf.function
    def of_default(x: Any) -> Any:
        return scaled(x)

    @tf.function
    def of_with(x: Any) -> Any:
        with kept as by:
            return x * by.rate

    @tf.function
    def of_reduce(x: Any) -> Any:
        return functools.reduce(reduced, [x, x], x)

    @tf.function
    def of_map(x: Any) -> Any:
        return tf.add_n(list(map(lambda one: one * kept.rate, [x, x])))  # noqa: C417

    x = tf.constant(1.0)
    calls = [
        lambda: of_deque(x), lambda: of_unpacked(x, [rated, kept]), lambda: of_loop(x, [rated, kept]),
        lambda: of_places(x, rated), lambda: of_spread(x, by=rated), lambda: of_default(x), lambda: of_with(x),
        lambda: of_reduce(x), lambda: of_map(x), lambda: of_slice(x),
    ]  # fmt: skip
    with recording() as r:
        before = [float(call()) for call in calls]
        window.append(4.0)
        rated.rate = kept.rate = rates[2] = 3.0
        assert [float(call()) for call in calls] == before
    assert [found for found in stale(r) if found[0] == 1] == [
        (1, "window", "closure", "deque([1.0, 2.0])", "deque([2.0, 4.0])"), (1, "window[0]", "closure", "1.0", "2.0"),
    ]  # fmt: skip
    assert [(seq, name) for seq, name, _, traced, now in stale(r) if (traced, now) == ("2.0", "3.0")] == [
        (2, "pair[0].rate"), (2, "pair[1].rate"), (3, "several[0].rate"), (3, "several[1].rate"), (4, "args[1].rate"),
        (5, "options['by'].rate"), (6, "by.rate"), (7, "kept.rate"), (8, "kept.rate"), (9, "kept.rate"),
        (10, "rates[2]"),
    ]  # fmt: skip


def test_a_graph_for_an_object_that_is_gone_is_none_that_holds_an_old_value(recording: RecordFixture) -> None:
    """No call finds it any more. What changed before the object went is told, unless later traces have read it."""
    global external

    @tf.function
    def step(schedule: Any, x: Any) -> Any:
        return x * schedule.rate * external

    x = tf.constant(1.0)
    with recording() as r:
        for value in (1.0, 2.0):
            external = value
            schedule = Schedule(0.5)
            step(schedule, x)
        del schedule
        external = 3.0
    assert [found for found in stale(r) if found[2] not in (CHOSEN, CHOSEN_GLOBAL)] == []
    with recording() as r:
        schedule = Schedule(0.5)
        step(schedule, x)
        external = 4.0
        assert step(schedule, x) == 1.5
        del schedule
    assert stale(r)[-1:] == [(1, "external", "global", "3.0", "4.0")]


SCALES: Any = {}


def of_a_name(x: Any, name: str) -> Any:
    key = f"{name}_rate"
    return x * SCALES[key]


def of_a_sum(x: Any, name: str) -> Any:
    return x * SCALES["" + name + "_rate"]


def of_a_format(x: Any, name: str) -> Any:
    return x * SCALES["{}_rate".format(name)]  # noqa: UP032


def of_a_percent_sign(x: Any, name: str) -> Any:
    return x * SCALES["%s_rate" % name]  # noqa: UP031


@pytest.mark.parametrize("function", [of_a_name, of_a_sum, of_a_format, of_a_percent_sign])
def test_a_key_that_is_made_of_an_argument(recording: RecordFixture, function: Any) -> None:
    SCALES.update(g_rate=0.5, d_rate=0.25)
    step = tf.function(function)
    with recording() as recorded:
        step(tf.ones([]), "g")
        step(tf.ones([]), "d")
        SCALES["g_rate"] = 2.0
        SCALES["other_rate"] = 2.0
    told = [one for one in stale(recorded) if one[3:] != ("", "")]  # calls of another name find it, too
    assert told == [(recorded.traces[0].seq, "SCALES['g_rate']", "global", "0.5", "2.0")]


def test_a_key_that_may_not_be_looked_up_is_not_told(recording: RecordFixture) -> None:
    SCALES.update(g_rate=0.5, base=1.0)

    @tf.function
    def step(x: Any, name: str, more: bool) -> Any:
        x = x * SCALES["base"]
        return x * SCALES[f"{name}_rate"] if more else x

    with recording() as recorded:
        step(tf.ones([]), "g", False)
        SCALES["g_rate"] = 2.0
    assert not stale(recorded)


def test_items_that_a_loop_counts_by_an_argument(recording: RecordFixture) -> None:
    class Net:
        def __init__(self) -> None:
            self.scales = [1.0, 2.0, 3.0]

        @tf.function
        def call(self, x: Any, count: int) -> Any:
            for i in range(count):
                x = x * self.scales[i]
            return x

    net = Net()
    with recording() as recorded:
        assert net.call(tf.ones([]), 2) == 2.0
        net.scales[1] = net.scales[2] = 7.0
        assert net.call(tf.ones([]), 2) == 2.0
    assert [(name, *values) for _, name, _, *values in stale(recorded)] == [("self.scales[1]", "2.0", "7.0")]


def test_what_an_object_has_in_its_dictionary(recording: RecordFixture) -> None:
    class Net:
        def __init__(self) -> None:
            self.rate, self.gain = 0.5, 3.0

        @tf.function
        def call(self, x: Any) -> Any:
            return x * self.__dict__["rate"] + vars(self)["gain"]

    def with_both(x: Any, gain: float, rate: float) -> Any:
        return x * gain + rate

    @tf.function
    def spread(x: Any) -> Any:
        return with_both(x, **vars(args)) + with_both(x, **dataclasses.asdict(options))

    @tf.function
    def of_a_name(x: Any) -> Any:
        given = vars(args)
        return x * given["gain"]

    net, args = Net(), argparse.Namespace(gain=1.0, rate=2.0)
    options = dataclasses.make_dataclass("Options", [("gain", float), ("rate", float)])(1.0, 2.0)
    with recording() as recorded:
        assert net.call(tf.ones([])) == 3.5
        assert (spread(tf.ones([])), of_a_name(tf.ones([]))) == (6.0, 1.0)
        net.rate, net.gain = 1.0, 4.0
        options.gain = args.rate = 3.0
        assert net.call(tf.ones([])) == 3.5
        assert (spread(tf.ones([])), of_a_name(tf.ones([]))) == (6.0, 1.0)
    told = [(name, *values) for _, name, _, *values in stale(recorded)]
    both = "{'gain': 1.0, 'rate': 2.0}"
    assert sorted(told) == [
        ("args.__dict__", both, "{'gain': 1.0, 'rate': 3.0}"),
        ("options.__dict__", both, "{'gain': 3.0, 'rate': 2.0}"),
        ("self.gain", "3.0", "4.0"),
        ("self.rate", "0.5", "1.0"),
    ]


def test_what_lies_behind_a_property_that_gives_an_attribute(recording: RecordFixture) -> None:
    """It is followed by what it gives, and not run; one that computes something is not."""

    class Net:
        def __init__(self) -> None:
            self.rate = 0.5

        def scaled(self, x: Any) -> Any:
            return x * self.rate

    class Holder:
        def __init__(self) -> None:
            self._net, self._other = Net(), Net()

        @property
        def net(self) -> Net:
            """Its own."""
            return self._net

        @property
        def other(self) -> Net:
            return self._other if self._other is not None else self._net

    class Trainer(Holder):
        @tf.function
        def step(self, x: Any) -> Any:
            return self.net.scaled(x) + self.net.rate + super().net.rate + self.other.rate

    trainer = Trainer()
    with recording() as recorded:
        assert trainer.step(tf.ones([])) == 2.0
        trainer._net.rate, trainer._other.rate = 1.0, 2.0
        assert trainer.step(tf.ones([])) == 2.0
    told = [(name, *values) for _, name, _, *values in stale(recorded)]
    assert {*told} == {("self.net.rate", "0.5", "1.0"), ("super().net.rate", "0.5", "1.0")}


def test_what_is_not_met_behind_a_test_of_such_a_property(recording: RecordFixture) -> None:
    """Not where the function sets what that gives: what it was when it was asked is not known."""

    class Net:
        def __init__(self) -> None:
            self._training, self._sets, self.drop, self.gain = False, True, 0.5, 1.0

        @property
        def training(self) -> bool:
            return self._training

        @property
        def sets(self) -> bool:
            return self._sets

        @tf.function
        def step(self, x: Any) -> Any:
            if self.training:
                x = x * self.drop
            if self.sets:
                x = x * self.gain
            self._sets = False
            return x

    net = Net()
    with recording() as recorded:
        net.step(tf.ones([]))
        net.drop, net.gain = 0.25, 2.0
        assert net.step(tf.ones([])) == 1.0
    assert [(name, *values) for _, name, _, *values in stale(recorded)] == [("self.gain", "1.0", "2.0")]


def test_what_is_called_behind_such_a_property(recording: RecordFixture) -> None:
    class Scale:
        rate = 0.5

        def __call__(self, x: Any) -> Any:
            return x * self.rate

    class Trainer:
        def __init__(self) -> None:
            self._scale = Scale()

        @property
        def scale(self) -> Scale:
            return self._scale

        @tf.function
        def step(self, x: Any) -> Any:
            return self.scale(x)

    trainer = Trainer()
    with recording() as recorded:
        assert trainer.step(tf.ones([])) == 0.5
        trainer.scale.rate = 1.0
        assert trainer.step(tf.ones([])) == 0.5
    assert [(name, *values) for _, name, _, *values in stale(recorded)] == [("self.scale.rate", "0.5", "1.0")]


def test_what_a_method_is_called_of_behind_such_a_property(recording: RecordFixture) -> None:
    """The variable of `self.rate.assign(…)`: while the property gives the same one nothing is stale."""

    class Agent:
        def __init__(self) -> None:
            self._rate = tf.Variable(0.5)

        @property
        def rate(self) -> Any:
            return self._rate

        @tf.function
        def step(self, x: Any) -> Any:
            self.rate.assign(x)

    agents = Agent(), Agent()
    with recording() as recorded:
        for agent in agents:
            agent.step(tf.ones([]))
        agents[1]._rate = tf.Variable(2.0)
        agents[1].step(tf.zeros([]))
        assert agents[1].rate == 2.0
    assert [(seq, name) for seq, name, *_ in stale(recorded)] == [(2, "self.rate")]


def test_what_is_asked_of_a_container_that_a_property_gives(recording: RecordFixture) -> None:
    """How long it is, whether a key is there, and all that it holds; also of a property that gives another one."""

    class Agent:
        def __init__(self) -> None:
            self._sizes, self._options, self._scales = [2.0], {"a": 1.0}, [0.5]

        @property
        def sizes(self) -> Any:
            return self._sizes

        @property
        def widths(self) -> Any:
            return self.sizes

        @property
        def options(self) -> Any:
            return self._options

        @property
        def scales(self) -> Any:
            return self._scales

        @tf.function
        def step(self, x: Any) -> Any:
            if "late" in self.options:
                x += 100.0
            return x * len(self.widths) + max(self.scales)

    agents = Agent(), Agent()
    with recording() as recorded:
        assert [float(agent.step(tf.ones([]))) for agent in agents] == [1.5, 1.5]
        agents[1]._sizes.append(3.0)
        agents[1]._options["late"] = 1.0
        agents[1]._scales[0] = 4.0
        assert agents[1].step(tf.ones([])) == 1.5
    assert {(seq, name, *values) for seq, name, _, *values in stale(recorded)} == {
        (2, "len(self.widths)", "1", "2"),
        (2, "'late' in self.options", "False", "True"),
        (2, "max(self.scales)", "0.5", "4.0"),
    }
