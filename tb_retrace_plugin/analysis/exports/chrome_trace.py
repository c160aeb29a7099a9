"""Recordings as a Chrome trace, for Perfetto and chrome://tracing: the Trace Event Format's JSON object form.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete events (`X`), counters (`C`)
and metadata (`M`); `ts` and `dur` in microseconds. Slices of one track must nest, which recorded times alone do not
promise: clocks step, and a damaged recording may hold any number.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.analysis.exports.report import step, worker_number
from tb_retrace_plugin.analysis.sessions.cost import lost_ns
from tb_retrace_plugin.analysis.sessions.session import Compilation, Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.explain.words.place import user_frame
from tb_retrace_plugin.explain.words.sentence import change_text, trace_sentence

#: Changes and characters of a text in a slice's arguments; the report has all.
_MAX_CHANGES = 8
_MAX_TEXT = 500
#: Later than this after its session's start (30 years) nothing is; a damaged time is put there.
_MAX_US = 10**15
_MAX_LANES = 32


@dataclass(eq=False, slots=True)
class _Slice:
    """Microseconds since the earliest session's start."""

    start: int
    end: int
    name: str
    category: str
    args: dict[str, Any]


@dataclass(eq=False, slots=True)
class _Track:
    """An outermost function on a thread with all that is nested in it, or XLA's work for one function."""

    name: str
    slices: list[_Slice] = field(default_factory=list)
    first_executions: list[_Slice] = field(default_factory=list)
    lost_ns: int = 0


def chrome_trace(sessions: Sequence[Session]) -> Iterator[str]:
    """The JSON document, in pieces: an event a line.

    A session is a process; a track is a thread and the outermost function traced on it, most lost first. Traces nest as
    they did; a first execution follows its trace (or begins with the compilation by XLA that it waited for), because
    only its length was measured: where that cannot be, something else being traced then, it goes to a track apart. What
    does not nest, where clocks stepped, goes to a further track of the same name.
    """
    base_ns = min((session.started_ns for session in sessions if session.started_ns > 0), default=0)
    about = {"recorded by": "Retrace", "zero is unix time in nanoseconds": str(base_ns)}
    if omitted := sum(session.omitted_traces for session in sessions):
        about["traces counted and not recorded one by one, not shown"] = str(omitted)
    yield f'{{"displayTimeUnit":"ms","otherData":{_json(about)},"traceEvents":['
    separator = "\n"
    tid = len(sessions)  # not a pid: a thread with its process's number is taken for the main one
    for pid, session in enumerate(sorted(sessions, key=lambda session: (session.started_ns, session.id)), 1):
        events = list(session.events.copy().values())
        yield from _lines(_about_process(session, pid), separator)
        separator = ",\n"
        for name, slices in _rows(session, events, base_ns):
            tid += 1
            yield from _lines(_about_row(name, slices, pid, tid), separator)
        yield from _lines(_memory(events, base_ns, pid), separator)
    yield "\n]}\n"


def _lines(events: Iterable[dict[str, Any]], separator: str) -> Iterator[str]:
    for event in events:
        yield separator + _json(event)
        separator = ",\n"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


# --- events ---


def _about_process(session: Session, pid: int) -> Iterator[dict[str, Any]]:
    start, worker = session.start, worker_number(session)
    where = f" ({start.host}, process {start.pid})" if start is not None and start.host else ""
    name = _short(f"{session.run}{'' if worker is None else f' · worker {worker}'}{where}")
    yield _metadata("process_name", pid, 0, name=name)
    yield _metadata("process_sort_index", pid, 0, sort_index=pid)


def _about_row(name: str, slices: Iterable[_Slice], pid: int, tid: int) -> Iterator[dict[str, Any]]:
    yield _metadata("thread_name", pid, tid, name=name)
    yield _metadata("thread_sort_index", pid, tid, sort_index=tid)
    for item in slices:
        times = {"ts": item.start, "dur": item.end - item.start, "pid": pid, "tid": tid}
        yield {"ph": "X", "name": item.name, "cat": item.category, **times, "args": item.args}


def _metadata(what: str, pid: int, tid: int, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": what, "ts": 0, "pid": pid, "tid": tid, "args": args}


def _memory(events: Sequence[TraceEvent], base_ns: int, pid: int) -> Iterator[dict[str, Any]]:
    """What the process held, as it was read at the beginning and the end of each trace."""
    samples = []
    for event in events:
        start = _us(event.record.time_ns, base_ns)
        end = min(start + event.trace_ns // 1000, _MAX_US)
        samples += [(start, event.record.memory_before_bytes), (end, event.record.memory_after_bytes)]
    for time, resident in sorted(samples):
        if resident > 0:
            args = {"bytes": resident}
            yield {"ph": "C", "name": "process memory", "ts": time, "pid": pid, "tid": 0, "args": args}


# --- what is where ---


def _rows(session: Session, events: Sequence[TraceEvent], base_ns: int) -> Iterator[tuple[str, list[_Slice]]]:
    """Names and slices, the tracks that lost most first."""
    tracks: dict[tuple[str, int, str], _Track] = {}
    roots: dict[int, TraceEvent] = {}
    whole: dict[int, _Slice] = {}
    for event in sorted(events, key=lambda e: e.seq):  # a parent's number is lower
        parent = event.parent
        root = roots[event.seq] = event if parent is None else roots.get(parent.seq, parent)
        key = (root.record.thread, root.function.index, "traces")
        name = f"{root.record.function.name} · {root.record.thread or 'thread not known'}"
        track = tracks.setdefault(key, _Track(_short(name)))
        track.lost_ns += lost_ns(event)
        start = _us(event.record.time_ns, base_ns)
        end = start + event.trace_ns // 1000
        if parent is not None and (outer := whole.get(parent.seq)) is not None:  # the clocks of the two differ slightly
            start = min(max(start, outer.start), outer.end)
            end = min(max(end, start), outer.end)
        traced = whole[event.seq] = _Slice(start, min(end, _MAX_US), _trace_name(event), "trace", _trace_args(event))
        track.slices.append(traced)
        compilations = event.compilations.ordered
        if (first := _first_execution(event, traced, compilations, base_ns)) is not None:
            track.first_executions.append(first)
        if compilations:
            name = _short(f"XLA · {event.record.function.name}")
            xla = tracks.setdefault(("", event.function.index, "xla"), _Track(name))
            xla.lost_ns += event.compilations.recompilation_ns
            xla.slices += [_compilation(event, compilation, base_ns) for compilation in compilations]
    for track in sorted(tracks.values(), key=lambda track: -track.lost_ns):
        between, apart = _between(track)
        for name, held in ((track.name, [*track.slices, *between]), (f"{track.name}: first executions", apart)):
            for number, slices in enumerate(_lanes(held), 1):
                yield (name if number == 1 else f"{name} ({number})"), slices


def _between(track: _Track) -> tuple[list[_Slice], list[_Slice]]:
    """First executions that fit between the traces, where they belong, and the others: those were some time later."""
    between: list[_Slice] = []
    apart: list[_Slice] = []
    reached = 0
    outermost: list[tuple[int, int]] = []  # where anything is being traced, without overlaps
    for item in sorted(track.slices, key=lambda s: s.start):
        if outermost and item.start < outermost[-1][1]:
            outermost[-1] = (outermost[-1][0], max(outermost[-1][1], item.end))
        else:
            outermost.append((item.start, item.end))
    for item in sorted(track.first_executions, key=lambda s: s.start):
        after = bisect_right(outermost, (item.start, item.start))
        free = after == 0 or outermost[after - 1][1] <= item.start
        free = free and (after == len(outermost) or item.end <= outermost[after][0]) and reached <= item.start
        (between if free else apart).append(item)
        reached = max(reached, item.end) if free else reached
    return between, apart


def _us(time_ns: int, base_ns: int) -> int:
    return min(max(0, time_ns - base_ns) // 1000, _MAX_US)


def _first_execution(
    event: TraceEvent, traced: _Slice, compilations: Sequence[Compilation], base_ns: int
) -> _Slice | None:
    length = event.first_call_ns
    if length is None:
        return None
    start, placed = traced.end, "after its trace: only its length was measured"
    if compilations and compilations[0].k == 1:  # the same call, whose start was measured
        start, placed = (
            max(start, _us(compilations[0].record.time_ns, base_ns)),
            "by the compilation that it waited for",
        )
    args = {**_identity(event), "placed": placed}
    end = min(start + length // 1000, _MAX_US)
    return _Slice(
        start, max(start, end), _short(f"{event.record.function.name}: first execution"), "first execution", args
    )


def _compilation(event: TraceEvent, compilation: Compilation, base_ns: int) -> _Slice:
    start = _us(compilation.record.time_ns, base_ns)
    args = {
        **_identity(event),
        "compilation": compilation.k,
        "step": step(compilation.record),
        "without a trace": compilation.is_recompilation,
        "changes": [_short(change_text(change)) for change in compilation.record.changes[:_MAX_CHANGES]],
        "failed": compilation.failed,
    }
    backward = ", backward pass" if compilation.record.backward else ""
    name = f"{event.record.function.name}{backward}: compiled by XLA{' (failed)' if compilation.failed else ''}"
    end = min(start + compilation.duration_ns // 1000, _MAX_US)
    return _Slice(start, end, _short(name), "XLA", args)


def _identity(event: TraceEvent) -> dict[str, Any]:
    return {"id": f"{event.session.id}/{event.seq}", "n": event.record.n}


def _trace_name(event: TraceEvent) -> str:
    name = event.record.function.name
    return _short(f"{name} (failed)" if event.record.failed else f"{name} #{event.record.n}")


def _trace_args(event: TraceEvent) -> dict[str, Any]:
    record = event.record
    args: dict[str, Any] = {
        **_identity(event),
        "step": step(record),
        "why": _short(trace_sentence(record, tally_of(event.function).role)),
        "kind": record.kind,
        "cause": record.changes[0].cause if record.changes else None,
        "changes": [_short(change_text(change)) for change in record.changes[:_MAX_CHANGES]],
        "verdict": record.verdict or "unknown",
        "evidence": _short(record.evidence),
        "defined at": _short(f"{record.function.file}:{record.function.line}"),
        "nodes": record.nodes,
        "tracing seconds": event.trace_ns / 1e9,
        "without nested seconds": event.own_ns / 1e9,
        "lookup seconds": event.lookup_ns / 1e9,
        "lost seconds": lost_ns(event) / 1e9,
    }
    if record.error:
        args["error"] = _short(record.error)
    frame = user_frame(event.session.stacks.get(record.stack_id))
    if frame is not None:
        args["called from"] = _short(f"{frame.file}:{frame.line}  {frame.source.strip()}")
    return args


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


# --- so that slices nest ---


def _lanes(slices: Iterable[_Slice]) -> list[list[_Slice]]:
    """Slices dealt out so that in each lane any two are apart or one lies within the other; nearly always one lane.

    In the last of `_MAX_LANES`, which only a damaged recording fills, what does not fit is shown shorter than it was.
    """
    lanes: list[tuple[list[_Slice], list[int]]] = []  # the slices; ends of those that are open, the innermost last
    for item in sorted(slices, key=lambda s: (s.start, -s.end)):
        held, ends = _lane(lanes, item)
        if ends and item.end > ends[-1]:
            item.args["shown shorter than its seconds"] = (item.end - item.start) / 1e6
            item.end = ends[-1]
        held.append(item)
        ends.append(item.end)
    return [held for held, _ in lanes]


def _lane(lanes: list[tuple[list[_Slice], list[int]]], item: _Slice) -> tuple[list[_Slice], list[int]]:
    """The first in which it nests; a new one if there is none; the last if there may be no more."""
    for lane in lanes:
        ends = lane[1]
        while ends and ends[-1] <= item.start:
            ends.pop()
        if not ends or item.end <= ends[-1]:
            return lane
    if len(lanes) < _MAX_LANES:
        lanes.append(([], []))
    return lanes[-1]
