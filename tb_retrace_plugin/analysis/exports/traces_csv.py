"""All traces as a table for spreadsheets: one line a trace, comma-separated, quoted as RFC 4180 says."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from typing import Any

from tb_retrace_plugin.analysis.exports.report import step, worker_number
from tb_retrace_plugin.analysis.sessions.cost import lost_ns, recompilation_ns
from tb_retrace_plugin.analysis.sessions.session import Session, TraceEvent
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: What a spreadsheet may take for a formula when a cell begins with it, spaces before it or not; the wide forms too.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
#: Line breaks (a record stays on one line, so that lines can be filtered) and what reorders text around it.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
#: Longer texts end in `…`.
_MAX_CELL = 2_000


def traces_csv(sessions: Sequence[Session]) -> Iterator[str]:
    """The header, then a line a trace: by session, the earliest first, in the order of `seq`. Lines end with CR LF.

    The first two columns, session and seq, are a trace's identity everywhere. Durations are seconds.
    """
    yield _line(list(_COLUMNS))
    for session in sorted(sessions, key=lambda session: (session.started_ns, session.id)):
        for _, event in sorted(session.events.copy().items()):
            yield _line([column(event) for column in _COLUMNS.values()])


def _line(cells: Sequence[Any]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow([_cell(cell) for cell in cells])
    return written.getvalue()


def _cell(value: Any) -> Any:
    """Numbers as they are; a text that a spreadsheet could run gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    text = value if len(value) <= _MAX_CELL else f"{value[: _MAX_CELL - 1]}…"
    text = _CONTROL.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)
    return f"'{text}" if _FORMULA.match(text) else text


def _seconds(ns: int | None) -> str | None:
    """Digits without an exponent; exact to the microsecond."""
    return None if ns is None else f"{ns // 1_000_000_000}.{ns % 1_000_000_000 // 1000:06d}"


def _time(event: TraceEvent) -> str:
    """UTC, as spreadsheets read it; "" if it is not known."""
    if event.record.time_ns <= 0:
        return ""
    try:
        return datetime.fromtimestamp(event.record.time_ns / 1e9, tz=timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")
    except (OverflowError, ValueError, OSError):
        return ""


def _first_change(field: str) -> Callable[[TraceEvent], str]:
    return lambda event: str(getattr(event.record.changes[0], field)) if event.record.changes else ""


def _called_from(event: TraceEvent) -> pb.Frame:
    """The innermost frame of the user's own code; the innermost of all if there is none."""
    stack = event.session.stacks.get(event.record.stack_id)
    frames = stack.frames if stack is not None else ()
    return next((frame for frame in frames if frame.user), frames[0] if frames else pb.Frame())


_COLUMNS: dict[str, Callable[[TraceEvent], Any]] = {
    "session": lambda e: e.session.id,
    "seq": lambda e: e.seq,
    "run": lambda e: e.session.run,
    "worker": lambda e: worker_number(e.session),
    "function": lambda e: e.record.function.name,
    "qualname": lambda e: e.record.function.qualname,
    "file": lambda e: e.record.function.file,
    "line": lambda e: e.record.function.line,
    "library": lambda e: int(e.record.function.library),
    "n": lambda e: e.record.n,
    "object": lambda e: e.record.object,
    "step": lambda e: step(e.record),
    "time_utc": _time,
    "since_start_seconds": lambda e: _seconds(max(0, e.record.time_ns - e.session.started_ns)),
    "kind": lambda e: e.record.kind,
    "verdict": lambda e: e.record.verdict or "unknown",
    "cause": _first_change("cause"),
    "argument": _first_change("path"),
    "old": _first_change("old"),
    "new": _first_change("new"),
    "more_changes": lambda e: max(0, len(e.record.changes) - 1),
    "failed": lambda e: int(e.record.failed),
    "nested": lambda e: int(e.record.nested),
    "generalized": lambda e: int(e.record.generalized),
    "parent_seq": lambda e: e.record.parent_seq or None,
    "trace_seconds": lambda e: _seconds(e.trace_ns),
    "own_trace_seconds": lambda e: _seconds(e.own_ns),
    "first_call_seconds": lambda e: _seconds(e.first_call_ns),
    "lookup_seconds": lambda e: _seconds(e.lookup_ns),
    "recompilations": lambda e: e.compilations.successful_recompilations,
    "recompilation_seconds": lambda e: _seconds(recompilation_ns(e)),
    "lost_seconds": lambda e: _seconds(lost_ns(e)),
    "nodes": lambda e: e.record.nodes,
    "memory_before_bytes": lambda e: e.record.memory_before_bytes or None,
    "memory_after_bytes": lambda e: e.record.memory_after_bytes or None,
    "thread": lambda e: e.record.thread,
    "called_from_file": lambda e: _called_from(e).file,
    "called_from_line": lambda e: _called_from(e).line or None,
    "called_from_source": lambda e: _called_from(e).source.strip(),
    "error": lambda e: e.record.error,
}
