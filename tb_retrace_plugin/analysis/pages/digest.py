"""The overview that the tab keeps up to date; see docs/http_api.md, `digest`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json, step, worker_number
from tb_retrace_plugin.analysis.jobs.workers import differing_workers
from tb_retrace_plugin.analysis.sessions.cost import recompilation_ns
from tb_retrace_plugin.analysis.sessions.notices import notices
from tb_retrace_plugin.analysis.sessions.session import Compilation, FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.explain.words.sentence import change_text

DIGEST_SCHEMA = 1
#: Stale names of a function that the overview lists.
_STALE_NAMES = 20


class Digest:
    """Answers for one store; what is the same for every client of a revision is computed once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._overview = _Overview()
        self._sessions: dict[str, tuple[int, dict[str, Any]]] = {}

    def answer(self, generation: str | None, since: int) -> dict[str, Any]:
        """Traces changed after revision `since` of `generation`; everything if the store cannot continue there."""
        self.update()
        return self.latest(generation, since)

    def update(self) -> None:
        """Computes what takes long, for `latest` to be quick; the store must not change meanwhile."""
        store, before = self._store, self._overview.revision
        if before == store.revision:
            return
        # whatever changes a function changes one of its traces
        changed = _changed(store, before)
        functions, traces = dict(self._overview.functions), dict(self._overview.traces)
        recompilations = dict(self._overview.recompilations)
        for index in {event.function.index for event in changed}:
            functions[index] = _function_json(store.functions[index])
        for event in changed:
            traces[event.session.id, event.seq] = tuple([column(event) for column in _COLUMNS.values()])
        for event, one in _recompiled(store, before):
            row = tuple([column(event, one) for column in _RECOMPILATION_COLUMNS.values()])
            recompilations[event.session.id, event.seq, one.record.k] = row
        sessions = [self._session(session) for session in store.sessions]
        summary = sessions[0]["summary"] if len(sessions) == 1 else summarize(store.sessions).to_json()
        told = [{"severity": p.severity, "text": p.text} for p in [*notices(store), *differing_workers(store.sessions)]]
        parts = {"notices": told, "summary": summary, "sessions": sessions}
        self._overview = _Overview(store.revision, parts, functions, traces, recompilations)

    def latest(self, generation: str | None, since: int) -> dict[str, Any]:
        """As `answer`, of the revision at the last `update`: what came since is left for the next, and what has changed
        since is as it was then."""
        store, overview = self._store, self._overview
        continues = generation == store.generation and 0 <= since <= overview.revision
        after = since if continues else -1
        changed = [event for event in _changed(store, after) if (event.session.id, event.seq) in overview.traces]
        columns = zip(*[overview.traces[event.session.id, event.seq] for event in changed], strict=True)
        keys = [(event.session.id, event.seq, one.record.k) for event, one in _recompiled(store, after)]
        recompiled = [row for key in keys if (row := overview.recompilations.get(key)) is not None]
        return {
            "schema": DIGEST_SCHEMA,
            "generation": store.generation,
            "revision": overview.revision,
            "reset": generation is not None and not continues,
            **overview.parts,
            "functions": [overview.functions[index] for index in sorted({event.function.index for event in changed})],
            "traces": {name: list(next(columns, ())) for name in _COLUMNS},
            "recompilations": {
                name: [row[place] for row in recompiled] for place, name in enumerate(_RECOMPILATION_COLUMNS)
            },
        }

    def _session(self, session: Session) -> dict[str, Any]:
        kept = self._sessions.get(session.id)
        if kept is None or kept[0] != session.revision:
            kept = self._sessions[session.id] = session.revision, _session_json(session)
        return kept[1]


#: Of one compilation.
_CHANGES_TOLD = 2


@dataclass(frozen=True, slots=True)
class _Overview:
    """What there is at a revision: `parts` are in every answer, then functions by index, the columns of traces by
    session and seq, and those of recompilations by k besides."""

    revision: int = -1
    parts: dict[str, Any] = field(default_factory=dict)
    functions: dict[int, dict[str, Any]] = field(default_factory=dict)
    traces: dict[tuple[str, int], tuple[Any, ...]] = field(default_factory=dict)
    recompilations: dict[tuple[str, int, int], tuple[Any, ...]] = field(default_factory=dict)


def _changed(store: Store, after: int) -> list[TraceEvent]:
    return [e for s in store.sessions if s.revision > after for e in s.events.values() if e.revision > after]


def _changes_text(compilation: Compilation) -> str:
    """A shape and a value, say, that are new at once."""
    changes = compilation.record.changes
    more = f" and {len(changes) - _CHANGES_TOLD:,} more" if len(changes) > _CHANGES_TOLD else ""
    return "; ".join(map(change_text, changes[:_CHANGES_TOLD])) + more


def _recompiled(store: Store, after: int) -> Iterator[tuple[TraceEvent, Compilation]]:
    """XLA's recompilations of traces that are known, of later revisions."""
    for session in store.sessions:
        if session.revision > after:
            for seq, compilations in session.compilations.items():
                if event := session.events.get(seq):
                    for compilation in compilations.recompilations:
                        if compilation.revision > after:
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
    tally = tally_of(group)
    cost = tally.cost
    return {
        "index": group.index,
        "session": group.session.index,
        **code_json(group.function),
        "name": tally.made_by.label if tally.made_by is not None else group.function.name,
        "role": tally.role or None,
        "traces": tally.traces,
        "objects": tally.objects,
        "failed_traces": tally.failed,
        "omitted_traces": group.omitted_traces,
        "trace_seconds": cost.trace_ns / 1e9,
        "first_call_seconds": cost.first_call_ns / 1e9,
        "lookup_seconds": cost.lookup_ns / 1e9,
        "avoidable_seconds": cost.avoidable_ns / 1e9,
        "causes": dict(tally.first_causes),
        "xla_compilations": group.xla_compilations,
        "recompilations": tally.recompilations,
        "recompilation_seconds": cost.recompilation_ns / 1e9,
        "stale": [name.name for name in tally.stale[:_STALE_NAMES]],
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
    "lookup_us": lambda e: e.lookup_ns // 1000,
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
    "change": lambda e, c: _changes_text(c),
    "failed": lambda e, c: c.failed,
}
