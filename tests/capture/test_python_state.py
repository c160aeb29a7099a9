"""What `tb-retrace try` compares before it makes one of two functions: all that a trace of them could see."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied.python_state import PythonState

offset: Any = 1.0
helper_reads = [1.0]


def helper(x: Any) -> Any:
    return x + helper_reads[0]


class Config:
    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def times(self, x: Any) -> Any:
        return x * self.scale * offset


VARIABLE = tf.Variable(1.0)
CONFIG, SAME_LATER = Config(1.0), Config(1.0)


def reads(value: Any) -> Callable[[Any], Any]:
    return lambda x: x * value


def reads_attribute(config: Any) -> Callable[[Any], Any]:
    return lambda x: x * config.scale


def reads_within(config: Any) -> Callable[[Any], Any]:
    def outer(x: Any) -> Any:
        def inner() -> Any:
            return config.scale

        return x * inner()

    return outer


def calls_method(config: Any) -> Callable[[Any], Any]:
    return lambda x: config.times(x)


def calls_helper(_: Any) -> Callable[[Any], Any]:
    return lambda x: helper(x)


def reads_global(_: Any) -> Callable[[Any], Any]:
    return lambda x: x + offset


def has_default(value: Any) -> Callable[[Any], Any]:
    def function(x: Any, *, by: Any = value) -> Any:
        return x * by

    return function


def is_partial(value: Any) -> Any:
    return functools.partial(lambda by, x: x * by, value)


def upper(text: Any) -> Callable[[Any], Any]:
    return lambda x: text.upper()


def state(function: Any, states: PythonState, instance: Any = None) -> Any:
    return states.of(tf_seam.unwrapped(function), instance)


@pytest.mark.parametrize(
    ("make", "value", "other"),
    [
        (reads, 1.0, 2.0), (reads, 1, 1.0), (reads, 1, True), (reads, "a", "b"), (reads, None, 0),
        (reads, [1.0, {"a": (2,)}], [1.0, {"a": (3,)}]), (reads, (1,), [1]), (reads, {1}, {2}),
        (reads, {"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (reads, np.arange(3), np.arange(3.0)), (reads, np.zeros(2), np.ones(2)),
        (reads, tf.constant([1.0]), tf.constant([2.0])), (reads, np.zeros((1, 2)), np.zeros((2, 1))),
        (reads, reads(1.0), reads(2.0)), (reads, len, abs),
        (reads_attribute, Config(1.0), Config(2.0)), (reads_within, Config(1.0), Config(2.0)),
        (has_default, 1.0, 2.0), (is_partial, 1.0, 2.0), (upper, "a", "b"),
    ],
)  # fmt: skip
def test_what_is_seen_by_value(make: Callable[[Any], Any], value: Any, other: Any) -> None:
    import copy

    states = PythonState()
    first = state(make(value), states)
    assert first == state(make(value), states)
    again = copy.deepcopy(value) if not callable(value) else value
    assert first == state(make(again), states)
    assert first != state(make(other), states)


class Holder:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


@pytest.mark.parametrize("make", [reads, calls_method])
def test_objects_of_the_users_classes_are_equal_by_what_they_hold(make: Callable[[Any], Any]) -> None:
    states = PythonState()
    nested, other = Config(Config([1.0])), Config(Config([2.0]))
    assert state(make(CONFIG), states) == state(make(SAME_LATER), states) != state(make(Config(2.0)), states)
    assert state(make(nested), states) == state(make(Config(Config([1.0]))), states) != state(make(other), states)
    assert state(make(Config(VARIABLE)), states) == state(make(Config(VARIABLE)), states)
    assert state(make(Config(VARIABLE)), states) != state(make(Config(tf.Variable(1.0))), states)


def test_of_what_has_no_dictionary_it_is_not_known_what_it_holds() -> None:
    states, holder = PythonState(), Holder(1.0)
    assert state(reads(holder), states) == state(reads(holder), states) != state(reads(Holder(1.0)), states)


def test_what_a_module_of_tensorflow_has_of_lists_and_of_its_own_functions() -> None:
    class Module(tf.Module):
        def __init__(self, rates: Any, by: Any) -> None:
            super().__init__()
            self.rates, self.by = rates, {"x": by}
            self.scaled = tf.function(self.scale)

        def scale(self, x: Any) -> Any:
            return x * self.rates[0] * self.by["x"]

    states = PythonState()
    kept = [Module([1.0], 2.0), Module([1.0], 2.0), Module([3.0], 2.0), Module([1.0], 3.0)]
    first, again, *others = (states.of(tf_seam.unwrapped(one.scaled.python_function), one) for one in kept)
    assert first == again
    assert first not in others


def test_variables_are_equal_to_themselves_alone() -> None:
    states = PythonState()
    assert state(reads(VARIABLE), states) == state(reads(VARIABLE), states) != state(reads(tf.Variable(1.0)), states)


@pytest.mark.parametrize(
    ("make", "name", "changed"),
    [(reads_global, "offset", 2.0), (calls_helper, "helper_reads", [2.0])],
)
def test_what_is_read_now_counts(
    make: Callable[[Any], Any], name: str, changed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = PythonState()
    function = make(None)
    before = state(function, states)
    assert before == state(make(None), states)
    monkeypatch.setitem(globals(), name, changed)
    assert state(function, states) != before
    assert [key for key, found in state(function, states).items() if found != before[key]] in ([name], ["helper"])


def test_all_attributes_of_an_instance_count_and_what_its_methods_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def __init__(self, **attributes: Any) -> None:
            self.__dict__.update(attributes)

        def step(self, x: Any) -> Any:
            return self.scaled(x)

        def scaled(self, x: Any) -> Any:
            return x * offset

    states = PythonState()
    first = state(Model.step, states, Model(a=1, b=[2]))
    assert first == state(Model.step, states, Model(a=1, b=[2]))
    assert first != state(Model.step, states, Model(a=1, b=[3]))
    assert first != state(Model.step, states, Model(a=1))
    monkeypatch.setitem(globals(), "offset", 5.0)
    assert first != state(Model.step, states, Model(a=1, b=[2]))


def test_other_code_is_another_function() -> None:
    states = PythonState()
    one = state(lambda x: x, states)
    other = state(lambda x: x, states)  # in one line, Python 3.10 makes them one code
    assert one != other


def test_nothing_of_the_users_is_run() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __hash__(self) -> int:
            raise AssertionError

        @property
        def scale(self) -> Any:
            raise AssertionError

    states, hostile = PythonState(), Hostile()
    for make in (reads, reads_attribute, calls_method):
        assert state(make(hostile), states) == state(make(hostile), states)
