"""The advice's own code, as it is printed, on what TensorFlow really takes."""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.advice.shapes.shape_buckets import PAD
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import Lookup, replay
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.capture.conftest import RecordFixture

SETTINGS = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)

#: Without XLA, but the code needs the length while it is traced.
UNROLLED = """
@tf.function
def f(x):
    return sum(tf.unstack(x))

with contextlib.suppress(ValueError):
    f.get_concrete_function(tf.TensorSpec([None]))
for n in (9, 2, 16, 3, 8, 15, 4):
    y = f(tf.ones([n]))
"""


def pad_to_bucket() -> Any:
    names: dict[str, Any] = {"tf": tf}
    exec(PAD, names)
    return names["pad_to_bucket"]


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "bool", "bfloat16", "complex64", "string"])
def test_any_dtype_can_be_padded(dtype: str) -> None:
    x = tf.fill([3, 2], "a") if dtype == "string" else tf.cast(tf.ones([3, 2]), dtype)
    padded = pad_to_bucket()(x, 0, (2, 5))
    assert (padded.shape.as_list(), padded.dtype) == ([5, 2], x.dtype)
    assert np.array_equal(padded[:3].numpy(), x.numpy())
    assert padded.numpy()[3:].tolist() == [[{"string": b"", "bool": False}.get(dtype, 0)] * 2] * 2


def test_what_is_larger_stays_and_arrays_can_be_padded_too() -> None:
    pad = pad_to_bucket()
    assert pad(tf.ones([2, 6]), 1, (2, 5)).shape == [2, 6]
    assert pad(np.ones([2, 3]), 1, (2, 5)).shape == [2, 5]
    assert pad(tf.ones([2, 0]), 1, (2, 5)).shape == [2, 2]


@SETTINGS
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 3)), min_size=1, max_size=12),
    st.sets(st.integers(0, 12), min_size=1, max_size=4),
)
def test_the_replay_traces_what_tensorflow_does(shapes: list[tuple[int, int]], sizes: set[int]) -> None:
    buckets = tuple(sorted(sizes))
    distinct = list(dict.fromkeys(shapes))  # the calls that trace as they are
    lookups = [Lookup(Signature((("x", Node("tensor", dtype="float32", shape=shape)),))) for shape in distinct]
    predicted = replay(lookups, Candidate(buckets={"x": {0: buckets}}))
    assert predicted is not None
    function = tf.function(lambda x: x, autograph=False)
    pad = pad_to_bucket()
    for shape in shapes:
        function.get_concrete_function(pad(tf.zeros(shape), 0, buckets))
    assert function.experimental_get_tracing_count() == sum(predicted)


def run(source: str, path: Path, recording: RecordFixture) -> tuple[list[bool], list[Advice]]:
    """Whether each trace of `f` failed, and its advice."""
    path.write_text(f"import contextlib\nimport tensorflow as tf\n{source}")  # AutoGraph reads the source
    with recording() as r, contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(path))
    store = Store()
    store.add(read_logdir(str(r.log_dir)))
    (group,) = [g for g in store.sessions[-1].functions.values() if g.function.name == "f"]
    return [event.failed for event in group.events], advice_of(group)


def test_code_that_needs_the_length_while_it_is_traced(tmp_path: Path, recording: RecordFixture) -> None:
    before, found = run(UNROLLED, tmp_path / "before.py", recording)
    assert before == [True] + [False] * 7
    assert [a.rule for a in found] == ["shape_buckets", "pad_to_one_shape"]  # a signature with None is known to fail
    code = found[0].code or ""
    definitions, _, call = code.rpartition("\n\n")
    source = UNROLLED.replace("y = f(tf.ones([n]))", call)
    assert source != UNROLLED
    after, remaining = run(definitions + source, tmp_path / "after.py", recording)
    assert len(after) == found[0].traces_after
    assert after.count(True) == 1
    assert remaining == []


def test_the_signature_that_failed_is_not_advised_where_a_narrower_one_works(
    tmp_path: Path, recording: RecordFixture
) -> None:
    source = UNROLLED.replace("unstack(x)", "unstack(x, axis=1)").replace("[None]", "[None, None]")
    source = source.replace("tf.ones([n])", "tf.ones([n, 3])")
    before, found = run(source, tmp_path / "before.py", recording)
    assert before == [True] + [False] * 7
    assert found[0].rule == "input_signature"
    assert "tf.TensorSpec([None, 3], tf.float32)" in (found[0].code or "")


LAST_BATCH = """
data = tf.data.Dataset.from_tensor_slices((tf.ones([19, 3]), tf.ones([19]))).batch(8)

@tf.function(jit_compile=True)
def f(x, y):
    return tf.reduce_sum(x) + tf.reduce_sum(y)

for _ in range(2):
    for x, y in data:
        f(x, y)
"""


def test_the_last_batch_of_a_dataset_under_xla(tmp_path: Path, recording: RecordFixture) -> None:
    before, found = run(LAST_BATCH, tmp_path / "before.py", recording)
    assert before == [False, False]
    assert [a.rule for a in found] == ["pad_to_one_shape"]
    assert (found[0].code or "").startswith(
        "dataset = dataset.batch(8, drop_remainder=True)  # if a dataset makes them\n"
    )
    assert found[0].traces_after == 1
    after, remaining = run(
        LAST_BATCH.replace("batch(8)", "batch(8, drop_remainder=True)"), tmp_path / "after.py", recording
    )
    assert (len(after), remaining) == (1, [])
