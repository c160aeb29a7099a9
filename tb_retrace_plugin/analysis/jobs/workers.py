"""The workers of one job: which traced what, where they part, and how long they waited. docs/workers.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json, worker_number
from tb_retrace_plugin.analysis.jobs.jobs import Job, jobs
from tb_retrace_plugin.analysis.jobs.worker_codes import Difference, WorkersCode, codes_of, difference, who
from tb_retrace_plugin.analysis.jobs.worker_waits import WaitAtStep, Waits, waits_of
from tb_retrace_plugin.analysis.sessions.losses import lost_traces
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, seconds_text, times_text
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.explain.words.made_by_libraries import named_text

WORKERS_SCHEMA = 1
#: Functions, and steps at which somebody waited, that are listed; the others are counted.
MAX_FUNCTIONS = 500
MAX_STEPS = 200
#: Workers that are looked at.
MAX_WORKERS = 256
#: A second worker that was waited for is named if it was for so much of what the first was.
_WORTH_TELLING = 0.05

_Differences = Mapping[WorkersCode, Difference]


def workers(job: Job) -> dict[str, Any]:
    """Ready for JSON; see `GET workers` in docs/http_api.md."""
    sessions = job.sessions[:MAX_WORKERS]
    codes = codes_of(sessions)
    waits = waits_of(codes, sessions)
    in_step = waits.waited_ns is not None
    found = {code: difference(code, sessions, in_step=in_step) for code in codes}
    differences = {code: differs for code, differs in found.items() if differs is not None}
    codes.sort(key=lambda code: _rank(code, differences))
    listed = {code: place for place, code in enumerate(codes[:MAX_FUNCTIONS])}
    steps = [at_step for at_step in waits.steps if at_step.code in listed][:MAX_STEPS]
    return {
        "schema": WORKERS_SCHEMA,
        "run": job.run,
        "expected": job.expected,
        "sentence": _sentence(codes, differences, waits, sessions),
        "difference": _first_difference(differences),
        "waiting": waits.text,
        "notices": _notices(job),
        "sessions": [_session_json(session, place, waits) for place, session in enumerate(sessions)],
        "functions": [_code_json(code, differences.get(code), known=in_step) for code in listed],
        "functions_left_out": len(codes) - len(listed),
        "steps": [_step_json(at_step, listed[at_step.code]) for at_step in steps],
        "steps_left_out": len(waits.steps) - len(steps),
    }


def divergence(job: Job) -> str:
    """A sentence if the workers retraced a function of the user's not as often as one another, else ""; from counts."""
    sessions = job.sessions[:MAX_WORKERS]
    if len(sessions) < 2:
        return ""
    for code in sorted(codes_of(sessions), key=lambda code: -max(code.traces)):
        if not code.function.library and len(set(code.retraces)) > 1:
            return f"{_counts_text(code, sessions)}."
    return ""


def differing_workers(sessions: Iterable[Session]) -> list[Problem]:
    """Jobs whose workers retraced not as often as one another, for the overview."""
    return [
        Problem("warning", f"{job.run}: the workers did not trace alike. {text} “Workers” shows more.")
        for job in jobs(sessions)
        if (text := divergence(job))
    ]


def _rank(code: WorkersCode, differences: _Differences) -> tuple[object, ...]:
    function = code.function
    place = function.file, function.line, function.qualname
    return code not in differences, -code.total_waited_ns, function.library, -max(code.traces), place


def _first_difference(differences: _Differences) -> str:
    """Over all functions: the user's own first, then by step."""

    def rank(code: WorkersCode) -> tuple[object, ...]:
        record = differences[code].event.record
        return code.function.library, record.nested, not record.HasField("step"), record.step, record.seq

    first = min(differences, key=rank, default=None)
    return differences[first].text if first is not None else ""


def _sentence(
    codes: Sequence[WorkersCode], differences: _Differences, waits: Waits, sessions: Sequence[Session]
) -> str:
    """What was waited for most; else what one worker traced more often; else that they share all."""
    if len(sessions) < 2:
        return f"Only {who([0], sessions).lower()} is recorded here: there is nothing to compare it with."
    if not codes:
        return "Nothing was traced by any worker."
    uneven = [code for code in codes if len(set(code.traces)) > 1]
    told = max(codes if waits.waited_ns is not None else uneven, key=lambda code: code.total_waited_ns, default=None)
    if told is None or not told.total_waited_ns:
        told = max(uneven, key=lambda code: (not code.function.library, max(code.traces)), default=None)
    if told in uneven:
        text = _counts_text(told, sessions)
    elif differences:
        text = "The workers traced every function as often as one another, but not all alike"
    else:
        text = "The workers traced the same functions, as often and for the same reasons"
    others = len(uneven) - (told in uneven)
    if others:
        text += (
            f"; {count_text(others, 'other function')} {'was' if others == 1 else 'were'} not traced as often either"
        )
    if waits.waited_ns is None:
        return f"{text}. How long they waited for one another, if at all, is not known."
    if told is None or not told.total_waited_ns:
        return (
            f"{text}: none is known to have waited for it{', as far as they are recorded' if waits.is_partial else ''}."
        )
    which = "" if told in uneven else f" for {named_text(told.function.name, told.role)}"
    part = ", in the traces that are recorded one by one" if waits.is_partial else ""
    return f"{text}: {_waits_text(told.waited_ns, which, sessions)}{part}."


def _waits_text(waited_ns: Mapping[int, int], which: str, sessions: Sequence[Session]) -> str:
    """`worker 0 waited up to 8.1 s for worker 1`, and the other way round if that is worth telling."""
    ranked = sorted(waited_ns, key=lambda worker: (-waited_ns[worker], worker))
    told = [worker for worker in ranked if waited_ns[worker] >= _WORTH_TELLING * waited_ns[ranked[0]]]
    texts: list[str] = []
    for worker in told[:2]:
        others = [other for other in range(len(sessions)) if other != worker]
        waiting = who(others, sessions).lower() if len(others) == 1 else "the others"
        length, straggler = seconds_text(waited_ns[worker] / 1e9), who([worker], sessions).lower()
        texts.append(f"{waiting}{'' if texts else ' waited'} up to {length}{'' if texts else which} for {straggler}")
    return ", and ".join(texts)


def _counts_text(code: WorkersCode, sessions: Sequence[Session]) -> str:
    """`Worker 1 traced `train_step` 12 times, worker 0 once`: the most first."""
    by_count: dict[int, list[int]] = {}
    for worker, count in enumerate(code.traces):
        by_count.setdefault(count, []).append(worker)
    texts = [
        f"{who(by_count[count], sessions).lower()} {times_text(count) if count else 'never'}"
        for count in sorted(by_count, reverse=True)
    ]
    first = by_count[max(by_count)]
    texts[0] = f"{who(first, sessions)} traced {named_text(code.function.name, code.role)} {times_text(max(by_count))}"
    return ", ".join([texts[0], list_text(texts[1:], 3)] if len(texts) > 1 else texts)


def _session_json(session: Session, place: int, waits: Waits) -> dict[str, Any]:
    tallies = [tally_of(group) for group in session.functions.values()]
    start = session.start
    known = waits.waited_ns is not None
    return {
        "id": session.id,
        "run": session.run,
        "worker": worker_number(session),
        "host": start.host if start is not None else "",
        "pid": start.pid if start is not None else 0,
        "ended": session.end is not None,
        "traces": sum(tally.traces for tally in tallies),
        "failed_traces": sum(tally.failed for tally in tallies),
        "retraces": sum(tally.retraces for tally in tallies),
        "trace_seconds": sum(tally.cost.trace_ns for tally in tallies) / 1e9,
        "waited_seconds": waits.waited_ns[place] / 1e9 if waits.waited_ns is not None else None,
        "waited_for_seconds": waits.waited_for_ns[place] / 1e9 if known else None,
    }


def _code_json(code: WorkersCode, differs: Difference | None, *, known: bool) -> dict[str, Any]:
    return {
        **code_json(code.function),
        "role": code.role or None,
        "workers": [_counts_json(group) for group in code.groups],
        "differs": differs is not None,
        "difference": differs.text if differs is not None else "",
        "waited_seconds": code.total_waited_ns / 1e9 if known else None,
    }


def _counts_json(group: FunctionGroup | None) -> dict[str, Any] | None:
    if group is None:
        return None
    tally = tally_of(group)
    costliest = max(group.events, key=lambda event: (event.is_retrace, event.trace_ns, -event.seq))
    return {
        "traces": tally.traces,
        "failed_traces": tally.failed,
        "retraces": tally.retraces,
        "trace_seconds": tally.cost.trace_ns / 1e9,
        "first_call_seconds": tally.cost.first_call_ns / 1e9,
        "lookup_seconds": tally.cost.lookup_ns / 1e9,
        "costliest": {"session": group.session.id, "seq": costliest.seq},
    }


def _step_json(at_step: WaitAtStep, function: int) -> dict[str, Any]:
    return {
        "step": at_step.step,
        "function": function,
        "worker": at_step.wait.worker,
        "session": at_step.event.session.id,
        "seq": at_step.event.seq,
        "trace_seconds": [ns / 1e9 for ns in at_step.traced_ns],
        "waited_seconds": [ns / 1e9 for ns in at_step.wait.waited_ns],
    }


def _notices(job: Job) -> list[str]:
    """What makes the workers hard to compare."""
    found = []
    sessions = job.sessions[:MAX_WORKERS]
    if len(sessions) < len(job.sessions):
        found.append(f"Only the first {MAX_WORKERS} of {len(job.sessions):,} workers are looked at.")
    if job.expected is not None and len(job.sessions) < job.expected:
        found.append(f"{len(job.sessions):,} of {job.expected:,} workers are recorded here.")
    if running := [worker for worker, session in enumerate(sessions) if session.end is None]:
        verb = "has" if len(running) == 1 else "have"
        text = f"{who(running, sessions)} {verb} no end recorded: running, or killed."
        found.append(f"{text} What the others traced may be yet to come.")
    if lossy := [w for w, session in enumerate(sessions) if lost_traces(session.losses) or session.missing]:
        found.append(f"Not all traces of {who(lossy, sessions).lower()} were recorded: the counts are too low.")
    versions = {session.start.tensorflow for session in sessions if session.start is not None}
    if len(versions) > 1:
        found.append(f"TensorFlow differs: {', '.join(sorted(versions))}.")
    return found
