"""What a graph captures otherwise than an earlier one, by the keys of both."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.record.other_captures import differs_in_tensors_alone
from tests.capture.conftest import RecordFixture


@pytest.mark.parametrize(
    ("before", "now", "alone"),
    [
        ("ab:1:", "ab:2:", True),
        ("ab:1:dict('a': )", "ab:2:dict('a': )", True),
        ("ab:1:dict('a': )", "ab:2:dict('b': )", False),  # one graph would return the other's keys
        ("ab:1:", "cd:2:", False),
        ("ab:1:", "ab:1:", False),
        ("", "ab:2:", False),
    ],
)
def test_nothing_but_other_tensors(before: str, now: str, alone: bool) -> None:
    mean = tf.constant([1.0])
    graph = tf.function(lambda x: x * mean).get_concrete_function(tf.TensorSpec([1]))
    assert differs_in_tensors_alone(before, now, graph) is alone


def test_a_variable_is_no_tensor() -> None:
    mean = tf.Variable([1.0])
    graph = tf.function(lambda x: x * mean).get_concrete_function(tf.TensorSpec([1]))
    assert not differs_in_tensors_alone("ab:1:", "ab:2:", graph)


def test_what_is_read_for_a_key_is_no_other_tensor(recording: RecordFixture) -> None:
    """The graph of the call that lacks it captures none in its place. One that is replaced in between is told."""
    table, rows = tf.constant([0.0, 1.0]), {"table": tf.constant([2.0, 3.0])}

    @tf.function
    def of_one(batch: dict[str, tf.Tensor]) -> tf.Tensor:
        return tf.gather(table, batch["ids"]) if "ids" in batch else batch["x"]

    @tf.function
    def of_another(batch: dict[str, tf.Tensor]) -> tf.Tensor:
        return tf.gather(rows["table"], batch.get("ids", [0])) + batch["x"]

    with recording() as r:
        for step in (of_one, of_another):
            step({"x": tf.ones([2])})
            rows["table"] = tf.constant([4.0, 5.0])
            step({"x": tf.ones([2]), "ids": tf.constant([0, 1])})
    traces = {(t.function.name, t.n): t.other_tensors for t in r.traces}
    assert traces == {("of_one", 1): False, ("of_one", 2): False, ("of_another", 1): False, ("of_another", 2): True}


def test_so_it_is_where_sizes_change_with_the_key(recording: RecordFixture) -> None:
    """`init=tf.constant(False)` of what `train_batch(x, init=init)` passes on, and `eval_batch(x)` does not."""
    stays = tf.constant(0.0)

    @tf.function
    def shifted(x: tf.Tensor, **options: tf.Tensor) -> tf.Tensor:
        return x + options.get("by", stays)

    with recording() as r:
        shifted(tf.ones([4]), by=tf.constant(1.0))
        shifted(tf.ones([6]))
    assert [trace.other_tensors for trace in r.traces] == [False, False]


def test_a_level_that_chooses_blocks_of_other_sizes_is_no_tensor(recording: RecordFixture) -> None:
    """Each level has what the one before has not, and is without something that it has; a rate chooses none."""
    ways_in = [[tf.Variable(1.0)] * 1, [tf.Variable(2.0), tf.Variable(3.0)], [tf.Variable(4.0) for _ in range(3)]]
    history = [tf.Variable(1.0), tf.Variable(2.0)]

    @tf.function
    def level_of(x: tf.Tensor, level: int) -> tf.Tensor:
        return tf.add_n([x * one for one in ways_in[level]])

    @tf.function
    def later(x: tf.Tensor, step: int) -> tf.Tensor:
        """What it begins to use, it uses beside the rest."""
        x = x * history[0] * float(step)
        return x * history[1] if step > 7 else x

    with recording() as r:
        for number in range(3):
            level_of(tf.ones([]), number)
            later(tf.ones([]), 7 * number)
    verdicts = {(t.function.name, t.n): t.verdict for t in r.traces if t.n > 1}
    assert verdicts["level_of", 2] == verdicts["level_of", 3] == "bounded"
    assert verdicts["later", 2] == verdicts["later", 3] == "avoidable"


@pytest.mark.parametrize("holds", ["a tensor each", "one tensor", "none"])
def test_tensors_beside_variables(holds: str, recording: RecordFixture) -> None:
    """Data of a model that is made anew, which a graph that is kept would go on with."""
    shared = tf.ones([2])

    class Model(tf.Module):
        def __init__(self, rate: float) -> None:
            super().__init__()
            self.scale = tf.Variable(rate)
            self.data = shared if holds != "a tensor each" else tf.fill([2], rate)

    @tf.function
    def predict(model: Any) -> Any:
        return model.scale * (model.data if holds != "none" else 2.0)

    with recording() as r:
        for rate in (1.0, 2.0, 3.0):
            predict(Model(rate))
    found = [trace.evidence for trace in r.traces if trace.function.name == "predict"][1:]
    assert all("the graph has the same operations, on other variables" in one for one in found)
    assert {"It captures other tensors, too" in one for one in found} == {holds == "a tensor each"}


def test_names_that_an_optimizer_gave_in_the_first_graph_make_no_other_one(recording: RecordFixture) -> None:
    """Plain SGD makes no variables in the first call, which is traced once, and builds itself under its own name."""
    model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD()

    def train_epoch(x: tf.Tensor) -> None:
        @tf.function
        def step(x: tf.Tensor) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x))
            weights = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))

        step(x)

    with recording() as r:
        for _ in range(3):
            train_epoch(tf.ones([4, 2]))
    assert [t.verdict for t in r.traces if t.function.name == "step"] == ["needed", "avoidable", "avoidable"]
