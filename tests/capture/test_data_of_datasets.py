"""Of what a dataset is made, as far as it is read where a function of it is traced: whether it is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.verdict.evidence import OF_OTHER_DATA, SAME_GRAPH_AND_CAPTURES
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


def counted(start: int, step: float = 1.0) -> Iterator[int]:
    yield start


def generated(generator: Callable[..., Iterator[int]], *args: Any) -> Any:
    return Data.from_generator(generator, args=args or None, output_signature=tf.TensorSpec([], tf.int32))


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
        (lambda: generated(counted, 1, 0.5), lambda: generated(counted, 1, 0.5), False),
        (lambda: generated(counted, 1, 0.5), lambda: generated(counted, 1, 0.25), True),
        (lambda: generated(counted, "a"), lambda: generated(counted, "b"), True),
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


@pytest.mark.parametrize(
    ("batch", "signature"),
    [
        (
            (np.ones([2, 3], np.float32), np.ones([2])),
            "(tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None], tf.float64))",
        ),
        ((np.ones([2, 3]),), "(tf.TensorSpec([None, 3], tf.float64),)"),
        (
            ({"a": np.ones([2, 3])}, np.ones([2])),
            "({'a': tf.TensorSpec([None, 3], tf.float64)}, tf.TensorSpec([None], tf.float64))",
        ),
        ((np.ones([2, 3]), None), ""),  # Keras passes an Optional for it
    ],
)
def test_what_keras_makes_of_a_generator_has_a_signature(
    recording: RecordFixture, batch: tuple[Any, ...], signature: str
) -> None:
    inputs = {"a": keras.Input((3,), name="a")} if isinstance(batch[0], dict) else keras.Input((3,))
    outputs = keras.layers.Dense(1)(inputs["a"] if isinstance(inputs, dict) else inputs)
    model = keras.Model(inputs, outputs)
    with recording() as r:
        for _ in range(2):
            model.predict((batch for _ in range(1)), verbose=0)
        model.predict((batch for _ in range(1)), verbose=0)  # by another line
    parts = ("flat_map_fn", "get_iterator_id_fn", "generator_next_fn", "finalize_fn")
    for part in parts:
        again = [trace for trace in r.traces if trace.function.name == part][1:]
        assert [trace.output_signature for trace in again] == [signature] * 2
        assert [trace.verdict for trace in again] == ["avoidable" if signature else "unknown", "bounded"]


@pytest.mark.parametrize(("second", "is_other"), [(0.5, False), (0.25, True)])
def test_the_arguments_of_a_generator_are_of_its_data(recording: RecordFixture, second: float, is_other: bool) -> None:
    with recording() as r:
        for step in (0.5, second):
            generated(counted, 3, step)
    for part in ("flat_map_fn", "get_iterator_id_fn", "generator_next_fn", "finalize_fn"):
        (_, again) = [trace for trace in r.traces if trace.function.name == part]
        assert (again.verdict, again.evidence == OF_OTHER_DATA) == (("avoidable", "unknown")[is_other], is_other)


def test_tensors_that_tf_data_makes_itself_are_known_by_their_numbers(recording: RecordFixture) -> None:
    def bucketed(size: int) -> Any:
        lengths = Data.range(8).map(tf.range)
        return lengths.bucket_by_sequence_length(tf.size, [3, 6], [size, size, 1])

    with recording() as r:
        for size in (4, 4, 2):
            bucketed(size)
    for part in ("key_func_wrapper", "batching_fn", "window_size_func_wrapper"):
        same, other = [trace for trace in r.traces if trace.function.name == part][1:]
        assert (same.verdict, same.evidence) == ("avoidable", SAME_GRAPH_AND_CAPTURES)
        assert (other.verdict == "avoidable") == (part == "key_func_wrapper")


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


def test_what_keras_maps_a_dataset_with_is_of_no_pipeline_for_what_is_no_dataset(recording: RecordFixture) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = Data.from_tensor_slices((np.ones([4, 3], np.float32), np.ones([4], np.int64))).batch(2)
    with recording() as r:
        model.fit(data, class_weight={0: 1.0, 1: 2.0}, verbose=0)
        model.fit(data, class_weight={0: 1.0, 1: 3.0}, verbose=0)  # by another line
    (_, again) = r.of("class_weights_map_fn")
    assert "no tf.data.Dataset" not in again.evidence


def test_a_dataset_that_is_closed_over_is_told_by_its_elements(recording: RecordFixture) -> None:
    def total(dataset: Any) -> float:
        @tf.function
        def loop() -> Any:
            return dataset.reduce(0.0, lambda total, row: total + tf.reduce_sum(row["x"]))

        return float(loop())

    def rows(start: float) -> Any:
        return Data.from_tensor_slices({"x": ROWS[:8] + start})

    with recording() as r:
        for start in (0.0, 1.0):
            total(rows(start))
        total(rows(0.0).batch(2))
    retraces = [trace for trace in r.traces if trace.function.name == "loop"][1:]
    one = "The new tf.function object closes over"
    kind = "tf.data.Dataset of {'x': float32 ()}"
    assert [(trace.verdict, trace.evidence) for trace in retraces] == [
        ("avoidable", f"{one} another `dataset` of {kind}. One object that is passed it as an argument would do."),
        (
            "unknown",
            f"{one} `dataset`: {kind} → tf.data.Dataset of {{'x': float32 (None,)}}. Whether one object could serve"
            " both is not known.",
        ),
    ]


def test_one_that_is_given_to_another_is_no_argument_of_that(recording: RecordFixture) -> None:
    """A function in a dataset is passed elements alone."""
    with recording() as r:
        for size in (1, 2):
            inner = Data.range(size)
            list(Data.range(2).flat_map(lambda _: inner))  # noqa: B023
    (again,) = [trace for trace in r.traces if trace.function.name == "<lambda>"][1:]
    assert again.verdict == "unknown"


def test_a_tensor_of_the_function_around_is_the_same_each_time(recording: RecordFixture) -> None:
    """What `map` within `interleave` closes over is computed for each element: no variable could hold it."""
    with recording() as events:
        for _ in range(2):
            tens = Data.range(2).interleave(lambda i: Data.range(2).map(lambda j: i * 10 + j + tf.abs(i)))
            assert len([*tens]) == 4
    made = [t for t in events.traces if t.kind == "recreated"]
    assert [(t.verdict, t.evidence) for t in made] == [("avoidable", SAME_GRAPH_AND_CAPTURES)] * 2


def test_an_iterator_that_is_closed_over_or_a_global_is_told_by_its_elements(recording: RecordFixture) -> None:
    def first(iterator: Any) -> float:
        @tf.function
        def step() -> Any:
            return tf.reduce_sum(next(iterator))

        return float(step())

    program = (
        "import tensorflow as tf\nfor start in (0.0, 1.0):\n    rows = iter(data)\n"
        "    @tf.function\n    def step_of_a_script():\n        return next(rows)\n    step_of_a_script()\n"
    )
    data = Data.from_tensor_slices(ROWS).batch(2, drop_remainder=True)
    with recording() as r:
        first(iter(data))
        first(iter(data))
        exec(compile(program, __file__, "exec"), {"data": data, "__name__": "script"})
    told = [trace.evidence for trace in r.traces if trace.function.name.startswith("step") and trace.n > 1]
    does = "One object that is passed it as an argument would do."
    kind = "iterator over tf.data.Dataset of float32 (2,)"
    assert told == [
        f"The new tf.function object closes over another `iterator` of {kind}. {does}",
        f"The new tf.function object reads another `rows` of {kind}. {does}",
    ]


OF_A_LIBRARY = """
class Buffer:
    def as_dataset(self, sample_batch_size, repeats=1):
        dataset = Data.range(40)

        def doubled(x):
            return 2 * x

        dataset = dataset.map(doubled)
        return dataset.batch(sample_batch_size).repeat(repeats)
"""
BATCHES_OF_OTHER_SIZES = """
def of_sizes(buffer, sizes):
    for size in sizes:
        buffer.as_dataset(sample_batch_size=size)

def of_one_size(buffer, sizes, size=4):
    for _ in sizes:
        buffer.as_dataset(size)

def through_another(buffer, sizes):
    for step, size in enumerate(sizes):
        one(buffer, step, 2 * size)

def one(buffer, step, size):
    buffer.as_dataset(size, repeats=3)
"""


CALLED = [("of_sizes", True), ("of_one_size", False), ("through_another", True)]


@pytest.mark.parametrize(("called", "is_other"), CALLED)
def test_a_librarys_helper_is_passed_another_size_of_batches(
    recording: RecordFixture, tmp_path: Path, called: str, is_other: bool
) -> None:
    names: dict[str, Any] = {"Data": Data}
    for file, source in (("site-packages/buffers.py", OF_A_LIBRARY), ("program.py", BATCHES_OF_OTHER_SIZES)):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(source)
        exec(compile(source, str(tmp_path / file), "exec"), names)
    with recording() as r:
        names[called](names["Buffer"](), (2, 4, 5))
    evidence = [trace.evidence for trace in r.traces if trace.function.name == "doubled"]
    assert set(evidence[1:]) == {OF_OTHER_DATA if is_other else SAME_GRAPH_AND_CAPTURES}
