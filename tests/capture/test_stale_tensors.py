"""Tensors that a graph captures, of what a function's code has them from: the graph's own result is the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.session import stale_records
from tests.capture.conftest import Recorded, RecordFixture


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_records, "_PAUSE_NS", 0)
    monkeypatch.setattr(stale_records, "_PAUSES", 0)  # however long a loaded machine took


class Regression:
    def __init__(self, data: Any) -> None:
        self.data = data

    def unpacked(self, x: Any) -> Any:
        inputs, outputs = self.data
        return x * tf.reduce_sum(inputs) + tf.reduce_sum(outputs)

    def gone_through(self, x: Any) -> Any:
        for one in self.data:
            x += one
        return x

    def a_part(self, x: Any) -> Any:
        (first,) = self.data[:1]
        return x + first

    def by_name(self, x: Any) -> Any:
        for name, one in self.data.items():
            x += one * len(name)
        return x

    def looked_up(self, x: Any) -> Any:
        return sum(differences({"a": x, "b": 2 * x}, self.data))

    def spread(self, x: Any) -> Any:
        return x * sum_of(*self.data)

    def replaced(self, x: Any) -> Any:
        inputs, outputs = self.data
        self.data = (inputs, outputs)
        return x * inputs + outputs


def differences(found: dict[str, Any], expected: dict[str, Any]) -> list[Any]:
    """Of what is computed, as of a style's layers."""
    return [one - expected[name] for name, one in found.items()]


class Summed:
    def __call__(self, *parts: Any) -> Any:
        return sum(map(tf.reduce_sum, parts))


def sum_of(reduce: Any, *parts: Any) -> Any:
    return reduce(*parts)


def two(value: float) -> tuple[Any, Any]:
    return tf.constant(value), tf.constant(value)


@pytest.mark.parametrize(
    ("method", "make", "expected"),
    [
        ("unpacked", two, ["self.data[0]", "self.data[1]"]),
        ("gone_through", lambda value: [*two(value)], ["self.data[0]", "self.data[1]"]),
        ("a_part", two, ["self.data[0]"]),
        ("by_name", lambda value: dict(zip("ab", two(value), strict=True)), ["self.data['a']", "self.data['b']"]),
        (
            "looked_up",
            lambda value: dict(zip("abc", (*two(value), 0), strict=True)),
            ["self.data['a']", "self.data['b']"],
        ),
        ("spread", lambda value: (Summed(), np.full(3, value, np.float32), value), ["self.data[1]", "self.data[2]"]),
        ("replaced", two, []),
    ],
)
def test_tensors_in_what_is_read_whole(method: str, make: Any, expected: list[str], recording: RecordFixture) -> None:
    model = Regression(make(1.0))
    step = tf.function(getattr(model, method), autograph=False)
    with recording() as r:
        before = step(tf.constant(2.0)).numpy()
        model.data = make(5.0)
        assert step(tf.constant(2.0)).numpy() == before
    assert told(r) == expected


@pytest.mark.parametrize("size", [1, 400])  # a small one is a constant of the graph
def test_of_what_a_name_looks_up_those_are_told_that_the_graph_captures(size: int, recording: RecordFixture) -> None:
    operators = {name: tf.ones([size]) for name in "ab"}

    @tf.function
    def energy(x: Any, terms: list[str]) -> Any:
        for name in terms:
            x = x + tf.reduce_sum(operators[name])
        return x

    with recording() as r:
        for terms in (["a"], ["b"], ["a", "b"]):
            energy(tf.constant(0.0), terms)
        operators["b"] = tf.zeros([size])
        energy(tf.constant(0.0), ["b"])
    traces = [trace.seq for trace in r.traces if trace.function.name == "energy"]
    assert {(one.seq, one.name) for one in r.stale if one.now != one.traced} == {
        (traces[1], "operators['b']"),
        (traces[2], "operators['b']"),
    }


def test_variables_that_another_loop_comes_to_are_told_beside_those_that_a_name_looks_up(
    recording: RecordFixture,
) -> None:
    class Net:
        def __init__(self) -> None:
            self.weights = [tf.Variable(1.0), tf.Variable(2.0)]

        def chosen(self, place: int) -> Any:
            return self.weights[place]

        @tf.function
        def step(self, x: Any, place: int) -> Any:
            x = x * self.chosen(place)
            for weight in self.weights:
                x = x + weight
            return x

    net = Net()
    with recording() as r:
        net.step(tf.constant(1.0), 0)
        net.weights[1] = tf.Variable(5.0)
        net.step(tf.constant(1.0), 0)
    assert told(r) == ["self.weights[1]"]


OF_A_LIBRARY = """
import tensorflow as tf

class Model(tf.Module):
    def __init__(self, data):
        super().__init__()
        self.data, self.noise, self.unused = data, tf.constant(1.0), tf.constant(0.0)

    def predict(self, x):
        inputs, outputs = self.data
        return x * inputs + outputs + self.noise
"""


def test_tensors_that_an_object_of_a_library_holds(recording: RecordFixture, tmp_path: Path) -> None:
    """As the data of a model of GPflow's; its code is not gone through."""
    library: dict[str, Any] = {"__name__": "regressions"}
    exec(compile(OF_A_LIBRARY, str(tmp_path / "site-packages" / "regressions.py"), "exec"), library)
    model = library["Model"](two(1.0))

    @tf.function
    def predict(x: Any) -> Any:
        return model.predict(x)

    @tf.function
    def ask(one: Any, x: Any) -> Any:
        return one.predict(x)

    compiled = tf.function(model.predict)
    with recording() as r:
        x = tf.constant(2.0)
        before = [float(one) for one in (predict(x), ask(model, x), compiled(x))]
        model.data, model.unused = (tf.constant(7.0), model.data[1]), tf.constant(1.0)
        assert [float(one) for one in (predict(x), ask(model, x), compiled(x))] == before
        model = library["Model"](two(3.0))  # that it is another one is told of the name, and nothing of what it holds
    assert told(r) == ["model", "model.data[0]", "one.data[0]", "self.data[0]"]


def told(recorded: Recorded) -> list[str]:
    return sorted({one.name for one in recorded.stale if one.now != one.traced})
