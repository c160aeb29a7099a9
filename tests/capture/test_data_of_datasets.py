"""Of what a dataset is made, as far as it is read where a function of it is traced: whether it is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.verdict.evidence import SAME_GRAPH_AND_CAPTURES
from tb_retrace_plugin.explain.verdict.new_objects import OF_OTHER_DATA
from tests.capture.conftest import RecordFixture

Data = tf.data.Dataset
ROWS = np.arange(1000.0, dtype=np.float32)


def last_changed() -> np.ndarray[Any, Any]:
    rows = ROWS.copy()
    rows[-1] = 0.0
    return rows


def ascending() -> Iterator[int]:
    yield 1


def descending() -> Iterator[int]:
    yield 1


def generated(generator: Callable[[], Iterator[int]]) -> Any:
    return Data.from_generator(generator, output_signature=tf.TensorSpec([], tf.int32))


class Own(Data):  # type: ignore[misc]
    """A dataset of the user's own: of what it is made is not known."""

    def __init__(self, size: int) -> None:
        self.size, self._dataset = tf.constant(size), Data.range(3)
        super().__init__(self._dataset._variant_tensor)

    def _inputs(self) -> Any:
        return []

    @property
    def element_spec(self) -> Any:
        return tf.TensorSpec([], tf.int64)


@pytest.mark.parametrize(
    ("first", "second", "is_other"),
    [
        (lambda: Data.range(4), lambda: Data.range(4), False),
        (lambda: Data.range(4), lambda: Data.range(5), True),
        (lambda: Data.range(4).batch(2), lambda: Data.range(4).batch(3), True),
        (lambda: Data.range(9).skip(1), lambda: Data.range(9).skip(2), True),
        (lambda: Data.range(9).shuffle(9), lambda: Data.range(9).shuffle(9), False),  # of seeds that are drawn
        (lambda: Data.from_tensor_slices(ROWS), lambda: Data.from_tensor_slices(ROWS.copy()), False),
        (lambda: Data.from_tensor_slices(ROWS), lambda: Data.from_tensor_slices(last_changed()), True),
        (lambda: Data.from_tensor_slices(["a"]), lambda: Data.from_tensor_slices(["b"]), True),
        (lambda: Data.from_tensor_slices(["a", "b"]), lambda: Data.from_tensor_slices(["a", "b"]), False),
        (lambda: Data.zip((Data.range(2), Data.range(3))), lambda: Data.zip((Data.range(2), Data.range(4))), True),
        (lambda: generated(ascending), lambda: generated(ascending), False),
        (lambda: generated(ascending), lambda: generated(descending), True),
        (lambda: tf.data.TextLineDataset("a"), lambda: tf.data.TextLineDataset("a"), False),
        (lambda: tf.data.TextLineDataset("a"), lambda: tf.data.TextLineDataset("b"), True),
        (lambda: tf.data.TFRecordDataset(["a"]), lambda: tf.data.TFRecordDataset(["b"]), True),
        (lambda: Own(1), lambda: Own(2), False),
    ],
)
def test_whether_it_is_other_data(
    recording: RecordFixture, first: Callable[[], Any], second: Callable[[], Any], is_other: bool
) -> None:
    def kept(*element: Any) -> Any:
        return element

    with recording() as r:
        for make in (first, second):
            make().map(kept)
    evidence = [trace.evidence for trace in r.traces if trace.function.name == "kept"]
    assert evidence[1:] == [OF_OTHER_DATA if is_other else SAME_GRAPH_AND_CAPTURES]


def test_where_it_cannot_be_read_nothing_is_said_of_it(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> bytes:
        raise ValueError("a dataset that nobody knows")

    monkeypatch.setattr(tf_seam, "data_read", fail)
    with recording() as r:
        for size in (2, 3):
            Data.range(size).map(lambda x: x)
    assert [trace.evidence for trace in r.traces][1:] == [SAME_GRAPH_AND_CAPTURES]


@pytest.mark.parametrize("is_hidden", [False, True])
def test_an_attribute_that_a_method_reads_of_one_object(recording: RecordFixture, *, is_hidden: bool) -> None:
    """`is_hidden`: of a graph that calls Python TensorFlow does not say whether it is the same."""

    class Augmenter:
        gain = 0.5

        def scaled(self, x: tf.Tensor) -> tf.Tensor:
            return x * self.gain + (tf.py_function(lambda: 1.0, [], tf.float32) if is_hidden else 1.0)

    augmenter = Augmenter()
    with recording() as r:
        for gain in (0.5, 0.5, 1.5):
            augmenter.gain = gain
            list(tf.data.Dataset.from_tensor_slices(tf.ones([2, 2])).map(augmenter.scaled))
    traces = r.of("scaled")
    assert [trace.verdict for trace in traces] == ["needed", "avoidable", "avoidable"]
    assert "self.gain" not in traces[1].evidence
    assert traces[2].evidence.startswith("The new tf.function object closes over `self.gain`: 0.5 → 1.5. One object")
