"""Traces in a real profile session: each is a span with its id and cause, in the place where it happened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from tb_retrace_plugin import record
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.schema import retrace_pb2 as pb


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
                    if name.startswith("Retrace: "):
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
    by_seq = {trace.seq: trace for trace in traces}
    spans = spans_below(tmp_path / "profile")
    assert sorted(name for name, _, _ in spans) == ["Retrace: inner"] + ["Retrace: train_step"] * 2
    for name, stats, duration_ps in spans:
        trace = by_seq[int(stats["id"].rpartition("/")[2])]
        assert name == f"Retrace: {trace.function.name}"
        assert (stats["n"], stats["kind"], stats["verdict"]) == (str(trace.n), trace.kind, trace.verdict)
        assert stats["cause"] == f"{trace.changes[0].cause} {trace.changes[0].path}"
        assert trace.function.name in stats["why"]
        assert duration_ps >= trace.trace_duration_ns * 1000 * 0.9
    causes = sorted(stats["cause"] for name, stats, _ in spans if name == "Retrace: train_step")
    assert causes == ["python_value k", "shape x"]
