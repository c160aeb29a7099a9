"""Traces in a real profile session: each is a span with its id and cause, in the place where it happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from tb_retrace_plugin import record
from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.watch.profiler_spans import one_value
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.vocabulary import span_name
from tests.capture.conftest import RecordFixture


def value_of(stat: Any, names: dict[int, str]) -> str:
    which = stat.WhichOneof("value")
    return names.get(stat.ref_value, "") if which == "ref_value" else str(getattr(stat, which))


def spans_below(log_dir: Path) -> list[tuple[str, dict[str, str], int]]:
    """Name, metadata and duration (ps) of our spans."""
    found = []
    for path in sorted(log_dir.rglob("*.xplane.pb")):
        for plane in xplane_pb2.XSpace.FromString(path.read_bytes()).planes:
            names = {key: metadata.name for key, metadata in plane.stat_metadata.items()}
            for line in plane.lines:
                for event in line.events:
                    name = plane.event_metadata[event.metadata_id].name
                    if name.startswith("tf.function trace: "):
                        stats = {names.get(stat.metadata_id, "?"): value_of(stat, names) for stat in event.stats}
                        found.append((name, stats, event.duration_ps))
    return found


def test_each_trace_is_a_span_with_its_id_and_cause(tmp_path: Path) -> None:
    @tf.function
    def inner(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def train_step(x: Any, k: int) -> Any:
        return inner(x) + float(k)

    with record(tmp_path / "logs"):
        train_step(tf.ones([2]), 1)  # nobody profiles yet
        tf.profiler.experimental.start(str(tmp_path / "profile"))
        train_step(tf.ones([3]), 1)
        train_step(tf.ones([3]), 2)
        train_step(tf.ones([3]), 2)  # cached
        tf.profiler.experimental.stop()
        train_step(tf.ones([4]), 2)
    traces = [
        m for item in read_logdir(str(tmp_path / "logs")) if isinstance(m := getattr(item, "message", None), pb.Trace)
    ]
    assert [trace.profiled for trace in traces if trace.function.name == "train_step"] == [False, True, True, False]
    by_seq = {trace.seq: trace for trace in traces}
    spans = spans_below(tmp_path / "profile")
    assert sorted(name for name, _, _ in spans) == [span_name("inner")] + [span_name("train_step")] * 2
    for name, stats, duration_ps in spans:
        trace = by_seq[int(stats["id"].rpartition("/")[2])]
        assert name == span_name(trace.function.name)
        assert (stats["n"], stats["kind"], stats["verdict"]) == (str(trace.n), trace.kind, trace.verdict)
        assert stats["cause"] == f"{trace.changes[0].cause} {trace.changes[0].path}"
        assert int(stats["tracing_us"]) == trace.trace_duration_ns // 1000
        assert stats["why"] == trace_sentence(trace).replace("#", "№")
        assert duration_ps >= int(stats["tracing_us"]) * 1_000_000 * 0.9
    causes = sorted(stats["cause"] for name, stats, _ in spans if name == span_name("train_step"))
    assert causes == ["python_value k", "shape x"]


HARD = [
    "plain", "(32, 10) → (7, 10)", "a, b", "k=1, l=2", "#3, and #4", "open (1, 2", "close) it, then", "it's, well",
    "'it, s'", 'he said "a, b', "größe: [1, 2", "{a: (1, 2]}, b", "x", "`a` (1, 2), and `b` [3, 4]", ",", "((,", ")),",
]  # fmt: skip


def test_no_text_spills_into_the_next(tmp_path: Path) -> None:
    tf.profiler.experimental.start(str(tmp_path))
    for text in HARD:
        span = tf_seam.start_profiler_span(span_name("f"))
        span.set_metadata(cause=one_value(text), why="after it")
        span.__exit__(None, None, None)
    tf.profiler.experimental.stop()
    found = spans_below(tmp_path)
    assert [stats.get("why") for _, stats, _ in found] == ["after it"] * len(HARD)
    assert [stats.get("cause") for _, stats, _ in found] == [one_value(text) for text in HARD]
    assert [one_value(text) for text in HARD[:2]] == HARD[:2]


def test_a_profiler_that_fails_costs_no_trace_and_no_record(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def set_metadata(self, **metadata: Any) -> None:
            raise ValueError("no")

        def __exit__(self, *error: object) -> None:
            raise ValueError("no")

    monkeypatch.setattr(tf_seam, "start_profiler_span", lambda name: Broken())
    monkeypatch.setattr(tf_seam, "is_profiled", lambda: True)

    @tf.function
    def step(x: Any) -> Any:
        return x + 1.0

    with recording() as recorded:
        assert float(step(tf.constant(1.0))) == 2.0
        monkeypatch.setattr(tf_seam, "start_profiler_span", lambda name: 1 / 0)
        assert step(tf.ones([2])).shape == (2,)
    assert recorded.count("step") == 2
