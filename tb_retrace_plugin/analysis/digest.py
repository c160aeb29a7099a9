"""The overview that the tab keeps up to date; see docs/http_api.md, `digest`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tb_retrace_plugin.analysis.cost import recompilation_ns, total_cost
from tb_retrace_plugin.analysis.notices import notices
from tb_retrace_plugin.analysis.report import code_json, step, worker_number
from tb_retrace_plugin.analysis.session import Compilation, FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.analysis.stale import stale_names
from tb_retrace_plugin.analysis.store import Store
from tb_retrace_plugin.analysis.summary import summarize
from tb_retrace_plugin.explain.sentence import change_text

DIGEST_SCHEMA = 1
#: Stale names of a function that the overview lists.
_STALE_NAMES = 20


class Digest:
    """Answers for one store; what is the same for every client of a revision is computed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._overview_revision = -1
        self._overview: dict[str, Any] = {}
        self._functions: dict[int, dict[str, Any]] = {}

    def answer(self, generation: str | None, since: int) -> dict[str, Any]:
        """Traces changed after revision `since` of `generation`; everything if the store cannot continue there."""
        store = self._store
        continues = generation == store.generation and 0 <= since <= store.revision
        after = since if continues else -1
        if self._overview_revision != store.revision:
            # whatever changes a function changes one of its traces
            for index in {event.function.index for event in _changed_after(store, self._overview_revision)}:
                self._functions[index] = _function_json(store.functions[index])
            self._overview = {
                "notices": [{"severity": p.severity, "text": p.text} for p in notices(store)],
                "summary": summarize(store.sessions).to_json(),
                "sessions": [_session_json(session) for session in store.sessions],
            }
            self._overview_revision = store.revision
        changed = _changed_after(store, after)
        recompiled = list(_recompiled_after(store, after))
        return {
            "schema": DIGEST_SCHEMA,
            "generation": store.generation,
            "revision": store.revision,
            "reset": generation is not None and not continues,
            **self._overview,
            "functions": [self._functions[index] for index in sorted({event.function.index for event in changed})],
            "traces": {name: [column(event) for event in changed] for name, column in _COLUMNS.items()},
            "recompilations": {
                name: [column(event, c) for event, c in recompiled] for name, column in _RECOMPILATION_COLUMNS.items()
            },
        }


def _changed_after(store: Store, revision: int) -> list[TraceEvent]:
    return [e for s in store.sessions for e in s.events.values() if e.revision > revision]


def _recompiled_after(store: Store, revision: int) -> Iterator[tuple[TraceEvent, Compilation]]:
    """XLA's recompilations of traces that are known, as far as they are newer than `revision`."""
    for session in store.sessions:
        for seq, compilations in session.compilations.items():
            if event := session.events.get(seq):
                for compilation in compilations.recompilations:
                    if compilation.revision > revision:
                        yield event, compilation


def _session_json(session: Session) -> dict[str, Any]:
    start = session.start
    return {
        "id": session.id,
        "run": session.run,
        "worker": worker_number(session),
        "host": start.host if start is not None else "",
        "pid": start.pid if start is not None else 0,
        "program": start.program if start is not None else "",
        "tensorflow": start.tensorflow if start is not None else "",
        "keras": start.keras if start is not None else "",
        "python": start.python if start is not None else "",
        "started_ns": str(session.started_ns),
        "last_ns": str(session.last_ns),
        "ended": session.end is not None,
        "losses": dict(session.losses),
        "summary": summarize([session]).to_json(),
    }


def _function_json(group: FunctionGroup) -> dict[str, Any]:
    cost = total_cost(group.events)
    causes = Counter(e.record.changes[0].cause for e in group.events if e.record.changes)
    return {
        "index": group.index,
        "session": group.session.index,
        **code_json(group.function),
        "traces": len(group.successful),
        "objects": group.objects,
        "failed_traces": len(group.events) - len(group.successful),
        "trace_seconds": cost.trace_ns / 1e9,
        "first_call_seconds": cost.first_call_ns / 1e9,
        "avoidable_seconds": cost.avoidable_ns / 1e9,
        "causes": dict(causes),
        "xla_compilations": group.xla_compilations,
        "recompilations": sum(e.compilations.successful_recompilations for e in group.events),
        "recompilation_seconds": cost.recompilation_ns / 1e9,
        "stale": [name.name for name in stale_names(group.events)[:_STALE_NAMES]],
    }


def _first_call_us(event: TraceEvent) -> int | None:
    first_call = event.first_call_ns
    return None if first_call is None else first_call // 1000


def _kib(count: int) -> int | None:
    return count >> 10 if count > 0 else None


_COLUMNS: dict[str, Callable[[TraceEvent], Any]] = {
    "session": lambda e: e.session.index,
    "function": lambda e: e.function.index,
    "seq": lambda e: e.seq,
    "n": lambda e: e.record.n,
    "object": lambda e: e.record.object,
    "step": lambda e: step(e.record),
    "start_us": lambda e: max(0, e.record.time_ns - e.session.started_ns) // 1000,
    "trace_us": lambda e: e.trace_ns // 1000,
    "own_us": lambda e: e.own_ns // 1000,
    "first_call_us": _first_call_us,
    "kind": lambda e: e.record.kind,
    "verdict": lambda e: e.record.verdict or "unknown",
    "cause": lambda e: e.record.changes[0].cause if e.record.changes else None,
    "path": lambda e: e.record.changes[0].path if e.record.changes else "",
    "change": lambda e: change_text(e.record.changes[0]) if e.record.changes else "",
    "failed": lambda e: e.record.failed,
    "nested": lambda e: e.record.nested,
    "generalized": lambda e: e.record.generalized,
    "parent_seq": lambda e: e.record.parent_seq or None,
    "nodes": lambda e: e.record.nodes,
    "recompilations": lambda e: e.compilations.successful_recompilations,
    "recompilation_us": lambda e: recompilation_ns(e) // 1000,
    "stale": lambda e: len(e.stale_values),
    "memory_before_kib": lambda e: _kib(e.record.memory_before_bytes),
    "memory_after_kib": lambda e: _kib(e.record.memory_after_bytes),
    "profiled": lambda e: e.record.profiled,
}

_RECOMPILATION_COLUMNS: dict[str, Callable[[TraceEvent, Compilation], Any]] = {
    "session": lambda e, c: e.session.index,
    "seq": lambda e, c: e.seq,
    "k": lambda e, c: c.k,
    "step": lambda e, c: step(c.record),
    "start_us": lambda e, c: max(0, c.record.time_ns - e.session.started_ns) // 1000,
    "us": lambda e, c: c.duration_ns // 1000,
    "change": lambda e, c: change_text(c.record.changes[0]),
    "failed": lambda e, c: c.failed,
}
