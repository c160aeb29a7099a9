"""The report as a person reads it: the verdict, then each function by what it lost, then why."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tb_retrace_plugin.analysis.cost import lost_ns, total_cost
from tb_retrace_plugin.analysis.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.analysis.store import Store
from tb_retrace_plugin.analysis.summary import summarize
from tb_retrace_plugin.analysis.wording import count_text, seconds_text
from tb_retrace_plugin.commands.terminal import Style, plain
from tb_retrace_plugin.explain.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Retraces for the same reason that are written out before "… and 29 more".
SHOWN_PER_REASON = 3
#: Names of functions without a retrace that are listed on one line.
_NAMES_SHOWN = 8


def report_lines(store: Store, everything: bool, style: Style) -> Iterator[str]:
    """Lines without line ends. `everything`: no trace is left out or folded."""
    summary = summarize(store.sessions)
    yield style.bold(style.code(plain(summary.sentence)))
    if summary.detail:
        yield style.code(plain(summary.detail))
    for session in store.sessions:
        yield ""
        yield from _session_lines(session, everything, style, alone=len(store.sessions) == 1)


def _session_lines(session: Session, everything: bool, style: Style, alone: bool) -> Iterator[str]:
    yield style.dim(plain(_session_heading(session)))
    if not alone:
        summary = summarize([session])
        yield style.code(plain(f"{summary.sentence} {summary.detail}".rstrip()))
    groups = sorted(session.functions.values(), key=lambda g: (-sum(map(lost_ns, g.events)), -len(g.events)))
    retraced = [g for g in groups if any(e.is_retrace or e.record.failed for e in g.events)]
    for group in groups if everything else retraced:
        yield ""
        yield from _function_lines(group, everything, style)
    quiet = [g for g in groups if g not in retraced]
    if quiet and not everything:
        yield ""
        names = [plain(g.function.name) for g in quiet[:_NAMES_SHOWN]]
        more = [f"and {len(quiet) - len(names)} more"] if len(quiet) > len(names) else []
        yield f"  Not traced again: {', '.join(names + more)}."


def _session_heading(session: Session) -> str:
    start = session.start
    parts = [f"{session.run}:" if session.run != "." else ""]
    if start is not None:
        parts.append(os.path.basename(start.program) or "python")
        if start.HasField("worker"):
            parts.append(f"· worker {start.worker}")
        parts.append(f"· TensorFlow {start.tensorflow}")
    if session.run_seconds is not None:
        parts.append(f"· {seconds_text(session.run_seconds)}")
    if session.end is None:
        parts.append("· no end recorded (running, or killed)")
    return " ".join(part for part in parts if part)


def _function_lines(group: FunctionGroup, everything: bool, style: Style) -> Iterator[str]:
    function = group.function
    cost = total_cost(group.events)
    retraces = sum(e.is_retrace and not e.record.failed for e in group.events)
    failed = len(group.events) - len(group.successful)
    yield f"  {style.bold(plain(function.name))}  {style.dim(plain(_place(function.file, function.line)))}"
    counts = [count_text(len(group.successful), "trace")]
    if retraces:
        counts.append(count_text(retraces, "retrace"))
    if group.objects > 1:
        counts.append(f"{group.objects} tf.function objects")
    if failed:
        counts.append(f"{failed} failed")
    costs = [f"tracing {seconds_text(cost.trace_ns / 1e9)}"]
    if cost.first_call_ns:
        costs.append(f"first executions {seconds_text(cost.first_call_ns / 1e9)}")
    if cost.lost_ns:
        costs.append(f"{seconds_text(cost.lost_ns / 1e9)} lost to retraces")
    if cost.avoidable_ns:
        costs.append(style.warn(f"{seconds_text(cost.avoidable_ns / 1e9)} avoidable"))
    yield f"  {', '.join(counts)} · {', '.join(costs)}"
    told: dict[object, int] = {}
    folded: dict[object, list[TraceEvent]] = {}
    caller = None
    for event in group.events:
        if not (everything or event.is_retrace or event.record.failed):
            continue
        reason = _reason(event)
        told[reason] = told.get(reason, 0) + 1
        if everything or told[reason] <= SHOWN_PER_REASON:
            yield from _event_lines(event, style)
            if _caller(event) != caller:  # said once for traces from the same line
                caller = _caller(event)
                yield style.dim(f"          called from {_caller_text(caller)}")
        else:
            folded.setdefault(reason, []).append(event)
    for events in folded.values():
        yield from _folded_lines(events, style)


def _event_lines(event: TraceEvent, style: Style) -> Iterator[str]:
    trace = event.record
    number = "failed" if trace.failed else f"#{trace.n}"
    cost = seconds_text(event.trace_ns / 1e9)
    if event.first_call_ns is not None:
        cost += f" + {seconds_text(event.first_call_ns / 1e9)} first execution"
    # "unknown" is what the sentence says already
    verdict = f" [{trace.verdict}]" if trace.verdict in ("avoidable", "bounded") else ""
    yield f"    {number:<5} {style.code(plain(trace_sentence(trace)))} {style.dim(cost)}{style.warn(plain(verdict))}"
    if trace.failed and trace.error.strip():
        # AutoGraph puts the message itself last, after its own frames
        yield f"          {plain(trace.error.strip().splitlines()[-1].strip())}"


def _caller_text(frame: pb.Frame | None) -> str:
    if frame is None:
        return "library code only"
    return plain(f"{_place(frame.file, frame.line)}   {frame.source.strip()}").rstrip()


def _folded_lines(events: list[TraceEvent], style: Style) -> Iterator[str]:
    lost = sum(map(lost_ns, events))
    cost = f", {seconds_text(lost / 1e9)}" if lost else ""
    first, last = events[0].record.n, events[-1].record.n
    which = f"#{first}" if first == last else f"#{first} to #{last}"
    yield style.dim(f"    … and {len(events)} more for the same reason ({which}{cost}); --all shows them")


def _reason(event: TraceEvent) -> object:
    """Traces with an equal reason are told once: the same causes, of the same arguments, at the same line."""
    trace = event.record
    frame = _caller(event)
    place = (frame.file, frame.line) if frame is not None else None
    return trace.kind, trace.failed, tuple((c.cause, c.path) for c in trace.changes), place


def _caller(event: TraceEvent) -> pb.Frame | None:
    """The innermost frame of the user's own code; None if there is none, or the stack was lost."""
    stack = event.session.stacks.get(event.record.stack_id)
    return next((f for f in stack.frames if f.user), None) if stack is not None else None


def _place(file: str, line: int) -> str:
    """`train.py:12`, relative where the file lies below the working directory."""
    here = os.getcwd() + os.sep
    return f"{file[len(here) :] if file.startswith(here) else file}:{line}"
