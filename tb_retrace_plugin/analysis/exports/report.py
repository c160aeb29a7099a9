"""`tb-retrace report --format json`, as docs/report_json.md says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tb_retrace_plugin.analysis.for_advice.advice import advice_json
from tb_retrace_plugin.analysis.sessions.session import Compilation, FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import shape_text

#: Raised when a field changes meaning or goes.
REPORT_SCHEMA = 1
#: Arguments with unknown dimensions that are listed per compilation; the others are counted.
_SHAPES_LISTED = 200


def report(store: Store, sessions: Iterable[Session] | None = None) -> dict[str, Any]:
    """Everything in `store`, or in some of its sessions, ready for JSON."""
    wanted = store.sessions if sessions is None else sessions
    return {"schema": REPORT_SCHEMA, "sessions": [session_json(session) for session in wanted]}


def session_json(session: Session) -> dict[str, Any]:
    start = session.start
    return {
        "id": session.id,
        "run": session.run,
        "worker": worker_number(session),
        "tensorflow": start.tensorflow if start is not None else "",
        "started_ns": session.started_ns,
        "losses": dict(session.losses),
        "functions": [function_json(group) for group in session.functions.values()],
    }


def function_json(group: FunctionGroup) -> dict[str, Any]:
    tally = tally_of(group)
    cost = tally.cost
    return {
        **code_json(group.function),
        "role": tally.role or None,
        "traces": tally.traces,
        "objects": tally.objects,
        "failed_traces": tally.failed,
        "omitted_traces": group.omitted_traces,
        "xla_compilations": group.xla_compilations,
        "hidden_compilations": group.hidden_compilations,
        "recompilation_seconds": cost.recompilation_ns / 1e9,
        "trace_seconds": cost.trace_ns / 1e9,
        "first_call_seconds": cost.first_call_ns / 1e9,
        "lookup_seconds": cost.lookup_ns / 1e9,
        "avoidable_seconds": cost.avoidable_ns / 1e9,
        "events": [event_json(event) for event in group.events],
        "xla": [compilation_json(event, c) for event in group.events for c in event.compilations.ordered],
        "stale": [stale_json(event, value) for event in group.events for value in event.stale_values],
        "drawn": list(group.function.drawn),
        "counted": [] if group.function.library else list(group.function.counted),
        "advice": advice_json(group),
    }


def code_json(function: pb.Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "qualname": function.qualname,
        "file": function.file,
        "line": function.line,
        "library": function.library,
    }


def event_json(event: TraceEvent) -> dict[str, Any]:
    trace = event.record
    first_call = event.first_call_ns
    return {
        "seq": trace.seq,
        "n": trace.n,
        "object": trace.object,
        "step": step(trace),
        "time_ns": trace.time_ns,
        "kind": trace.kind,
        "failed": trace.failed,
        "nested": trace.nested,
        "generalized": trace.generalized,
        "parent_seq": trace.parent_seq or None,
        "closest_n": trace.closest_n or None,
        "verdict": trace.verdict or "unknown",
        "evidence": trace.evidence,
        "changes": changes_json(trace.changes),
        "trace_seconds": event.trace_ns / 1e9,
        "own_trace_seconds": event.own_ns / 1e9,
        "first_call_seconds": None if first_call is None else first_call / 1e9,
        "lookup_seconds": event.lookup_ns / 1e9,
        "nodes": trace.nodes,
        "graph": trace.graph_sha256 or None,
        "error": trace.error or None,
        "stack": stack_json(event),
    }


def compilation_json(event: TraceEvent, compilation: Compilation) -> dict[str, Any]:
    """One compilation by XLA of the graph of `event`."""
    record = compilation.record
    return {
        "seq": record.seq,
        "n": event.record.n,
        "k": record.k,
        "step": step(record),
        "time_ns": record.time_ns,
        "seconds": compilation.duration_ns / 1e9,
        "shapes": {shape.path: shape_text(tuple(shape.dims)) for shape in record.shapes[:_SHAPES_LISTED]},
        "shapes_left_out": max(0, len(record.shapes) - _SHAPES_LISTED),
        "values": {value.path: value.text for value in record.values[:_SHAPES_LISTED]},
        "changes": changes_json(record.changes[:_SHAPES_LISTED]),
        "failed": record.failed,
        "gradient": record.gradient,
        "backward": record.backward,
        "stack": stack_of(event.session, record.stack_id),
    }


def stale_json(event: TraceEvent, value: pb.StaleValue) -> dict[str, Any]:
    """A Python value that the graph of `event` still holds."""
    return {
        "seq": value.seq,
        "n": event.record.n,
        "name": value.name,
        "kind": value.kind,
        "traced": value.traced,
        "now": value.now,
        "step": step(value),
    }


def changes_json(changes: Iterable[pb.Change]) -> list[dict[str, str]]:
    return [{"cause": c.cause, "path": c.path, "old": c.old, "new": c.new} for c in changes]


def stack_json(event: TraceEvent) -> list[dict[str, Any]]:
    """Frames innermost first; empty if the stack was lost."""
    return stack_of(event.session, event.record.stack_id)


def stack_of(session: Session, stack_id: str) -> list[dict[str, Any]]:
    stack = session.stacks.get(stack_id)
    if stack is None:
        return []
    return [
        {"file": f.file, "line": f.line, "function": f.function, "source": f.source, "user": f.user}
        for f in stack.frames
    ]


def step(record: pb.Trace | pb.XlaCompilation | pb.StaleValue) -> int | None:
    return record.step if record.HasField("step") else None


def worker_number(session: Session) -> int | None:
    start = session.start
    return start.worker if start is not None and start.HasField("worker") else None
