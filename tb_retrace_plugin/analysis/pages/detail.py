"""One trace in full; see docs/http_api.md, `trace`."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from tb_retrace_plugin.analysis.exports.report import (
    code_json,
    compilation_json,
    event_json,
    stack_json,
    stale_json,
)
from tb_retrace_plugin.analysis.for_advice.advice import advice_json
from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import leaf_rows
from tb_retrace_plugin.schema.vocabulary import KINDS

#: The latest compilations of a trace that are described one by one.
COMPILATIONS_SHOWN = 100


def trace_detail(event: TraceEvent) -> dict[str, Any]:
    """Everything known about `event`, ready for JSON."""
    trace = event.record
    session = event.session
    closest = event.closest
    stack = session.stacks.get(trace.stack_id)
    compilations = event.compilations.ordered
    previous_seq, next_seq = _same_cause(event)
    return {
        "session": session.id,
        "run": session.run,
        "function": code_json(event.function.function),
        "event": event_json(event),
        "sentence": trace_sentence(trace, tally_of(event.function).role),
        "kind_text": KINDS.get(trace.kind, ""),
        "evidence": trace.evidence,
        "closest": None if closest is None else {"seq": closest.seq, "n": closest.record.n},
        "signature": _signature_rows(trace, None if closest is None else closest.record),
        "context": dict(trace.signature.context),
        "traced_signature": [
            {"path": path, "type": text} for path, text in (_rows(trace.traced_signature) if trace.generalized else [])
        ],
        "stack": stack_json(event),
        "stack_frames_left_out": stack.frames_left_out if stack is not None else 0,
        "graph": {
            "nodes": trace.nodes,
            "bytes": trace.graph_bytes,
            "sha256": trace.graph_sha256 or None,
            "omitted": trace.graph_omitted or None,
            "attributes_dropped": trace.graph_attributes_dropped,
        },
        "memory": {
            "before_bytes": trace.memory_before_bytes or None,
            "after_bytes": trace.memory_after_bytes or None,
        },
        "thread": trace.thread,
        "reduce_retracing": trace.reduce_retracing,
        "jit_compile": trace.jit_compile,
        "cached_before": trace.cached_before,
        "xla_compilations": len(compilations),
        "xla": [compilation_json(event, compilation) for compilation in compilations[-COMPILATIONS_SHOWN:]],
        "stale": [stale_json(event, value) for value in event.stale_values],
        "advice": advice_json(event.function),
        "previous_same_cause": previous_seq,
        "next_same_cause": next_seq,
    }


def _signature_rows(trace: pb.Trace, closest: pb.Trace | None) -> list[dict[str, Any]]:
    """A row per leaf of this trace's signature and of what the closest earlier trace left in the cache.

    A row is `changed` if its text differs or a change names it; `cause` only if a change names it or its container.
    """
    now = dict(_rows(trace.signature))
    before = dict(_rows(_cached(closest))) if closest is not None else {}
    causes = {change.path: change.cause for change in trace.changes}
    rows: list[dict[str, Any]] = []
    for path in [*now, *(path for path in before if path not in now)]:
        new = now.get(path, "not there")
        old = before.get(path, "not there") if closest is not None else None
        cause = _cause_of(path, causes)
        changed = closest is not None and (new != old or cause is not None)
        rows.append({"path": path, "now": new, "closest": old, "changed": changed, "cause": cause})
    return rows


def _cached(trace: pb.Trace) -> pb.Signature:
    """The wider signature is what later calls are compared with."""
    return trace.traced_signature if trace.generalized and trace.traced_signature.arguments else trace.signature


def _rows(signature: pb.Signature) -> list[tuple[str, str]]:
    try:
        return leaf_rows(signature)
    except ValueError:  # nested deeper than any real signature
        return [("(signature)", "nested too deeply to be shown")]


def _cause_of(path: str, causes: dict[str, str]) -> str | None:
    """The cause named for the leaf itself, or for a container that it is in."""
    if path in causes:
        return causes[path]
    inside = [p for p in causes if p and path.startswith(p) and path[len(p) :][:1] in ("[", ".")]
    return causes[max(inside, key=len)] if inside else None


def _same_cause(event: TraceEvent) -> tuple[int | None, int | None]:
    """Numbers of this function's traces before and after whose first change has the same cause and path."""
    if event.reason is None:
        return None, None
    same = event.function.by_reason[event.reason]
    place = bisect_left(same, event.seq)
    return (same[place - 1] if place else None), (same[place + 1] if place + 1 < len(same) else None)
