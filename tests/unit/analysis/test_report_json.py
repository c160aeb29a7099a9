"""The report's form is a promise (docs/report_json.md): every field, and its type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import EventFile, Recording
from tests.support.stores import load, new_recording

NULL = type(None)
SESSION = {
    "id": str, "run": str, "worker": (int, NULL), "tensorflow": str, "started_ns": int, "losses": dict,
    "functions": list,
}  # fmt: skip
FUNCTION = {
    "name": str, "qualname": str, "file": str, "line": int, "library": bool, "role": (str, NULL), "traces": int,
    "objects": int, "failed_traces": int, "omitted_traces": int,
    "xla_compilations": (int, NULL), "hidden_compilations": bool,
    "trace_seconds": float, "lookup_seconds": float,
    "first_call_seconds": float, "avoidable_seconds": float, "recompilation_seconds": float, "events": list,
    "xla": list, "stale": list, "drawn": list, "counted": list, "advice": list,
}  # fmt: skip
EVENT = {
    "seq": int, "n": int, "object": int, "step": (int, NULL), "time_ns": int, "kind": str, "failed": bool,
    "nested": bool, "generalized": bool, "parent_seq": (int, NULL), "closest_n": (int, NULL), "verdict": str,
    "evidence": str,
    "changes": list,
    "trace_seconds": float, "own_trace_seconds": float, "first_call_seconds": (float, NULL),
    "lookup_seconds": float, "nodes": int, "graph": (str, NULL), "error": (str, NULL), "stack": list,
}  # fmt: skip
XLA = {
    "seq": int, "n": int, "k": int, "step": (int, NULL), "time_ns": int, "seconds": float, "shapes": dict,
    "shapes_left_out": int, "values": dict, "changes": list, "failed": bool, "gradient": bool, "backward": bool,
    "stack": list,
}  # fmt: skip
STALE = {"seq": int, "n": int, "name": str, "kind": str, "traced": str, "now": str, "step": (int, NULL)}
CHANGE = {"cause": str, "path": str, "old": str, "new": str}
FRAME = {"file": str, "line": int, "function": str, "source": str, "user": bool}


def assert_form(document: dict[str, Any], form: dict[str, Any]) -> None:
    assert set(document) == set(form)
    for name, types in form.items():
        assert isinstance(document[name], types), (name, document[name])


def test_every_field_is_there_with_its_type(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(step=None)
    recording.trace(first_calls=[pb.FirstCall(seq=1, duration_ns=5)], graph_sha256="ab", generalized=True)
    recording.trace(failed=True, error="ValueError: no", nested=True, parent_seq=2)
    recording.compilation(1, (4, 3))
    recording.compilation(1, (5, 3))
    recording.stale(2, "rate", "0.5", "0.25")
    recording.end(5, losses={"graphs_left_out": 1})
    document = json.loads(json.dumps(report(load(tmp_path)), allow_nan=False))
    assert set(document) == {"schema", "sessions"}
    assert document["schema"] == 1
    (session,) = document["sessions"]
    assert_form(session, SESSION)
    (function,) = session["functions"]
    assert_form(function, FUNCTION)
    (stale,) = function["stale"]
    assert_form(stale, STALE)
    for compilation in function["xla"]:
        assert_form(compilation, XLA)
    for event in function["events"]:
        assert_form(event, EVENT)
    for event in [*function["events"], *function["xla"]]:
        for change in event["changes"]:
            assert_form(change, CHANGE)
        for frame in event["stack"]:
            assert_form(frame, FRAME)
    assert [len(event["changes"]) for event in function["events"]] == [0, 1, 1]
    assert [len(event["stack"]) for event in function["events"]] == [3, 3, 3]
    assert [len(event["changes"]) for event in function["xla"]] == [0, 1]


def test_the_numbers_are_the_recorded_ones(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(shape=(32, 10), trace_duration_ns=250_000_000)
    recording.trace(
        shape=(7, 10), object=2, trace_duration_ns=500_000_000, nested_duration_ns=100_000_000,
        first_calls=[pb.FirstCall(seq=1, duration_ns=125_000_000)], graph_sha256="ab" * 32,
    )  # fmt: skip
    recording.trace(failed=True, error="ValueError: no", n=3)
    recording.end(5, traces=3)
    (session,) = report(load(tmp_path))["sessions"]
    assert (session["run"], session["tensorflow"]) == ("fit/retrace", "2.21.0")
    (function,) = session["functions"]
    assert (function["traces"], function["failed_traces"], function["objects"]) == (2, 1, 2)
    assert function["trace_seconds"] == 0.85
    assert function["first_call_seconds"] == 0.125
    assert function["avoidable_seconds"] == 0.6
    first, second, failed = function["events"]
    assert (first["step"], first["closest_n"], first["first_call_seconds"], first["graph"]) == (10, None, 0.125, None)
    assert second["changes"] == [{"cause": "shape", "path": "x", "old": "(32, 10)", "new": "(7, 10)"}]
    assert (second["trace_seconds"], second["own_trace_seconds"], second["first_call_seconds"]) == (0.5, 0.4, None)
    assert (second["closest_n"], second["graph"]) == (1, "ab" * 32)
    assert (failed["failed"], failed["error"], failed["n"]) == (True, "ValueError: no", 3)
    assert second["stack"][1]["source"] == "    train_step(batch)"


def test_worker_and_losses_are_passed_on(tmp_path: Path) -> None:
    new_recording(tmp_path / "alone", session="alone").end(1, losses={"graphs_left_out": 2})
    for worker in (0, 3):
        Recording(EventFile(tmp_path / f"w{worker}"), f"worker-{worker}").start(worker=worker)
    sessions = {s["id"]: s for s in report(load(tmp_path))["sessions"]}
    assert sessions["alone"]["losses"] == {"graphs_left_out": 2}
    assert [sessions[name]["worker"] for name in ("alone", "worker-0", "worker-3")] == [None, 0, 3]
