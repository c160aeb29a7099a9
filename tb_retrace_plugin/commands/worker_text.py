"""The workers of one job in the report: the answer, then a table of functions by workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.jobs.jobs import Job
from tb_retrace_plugin.analysis.jobs.workers import workers
from tb_retrace_plugin.analysis.sessions.wording import count_text, seconds_text
from tb_retrace_plugin.commands.terminal import Style, plain

#: Functions and columns that are printed; --all prints every function. The JSON of the route has more.
_FUNCTIONS = 8
_WORKERS = 8


def worker_lines(job: Job, everything: bool, style: Style) -> Iterator[str]:
    answer = workers(job)
    sessions = answer["sessions"]
    where = "" if job.run == "." else f"{job.run}: "
    yield style.dim(plain(f"{where}{count_text(len(sessions), 'worker')}"))
    yield style.code(plain(answer["sentence"]))
    if answer["difference"]:
        yield style.code(plain(f"First difference: {answer['difference']}"))
    for notice in answer["notices"]:
        yield style.warn(plain(notice))
    functions = answer["functions"] if everything else answer["functions"][:_FUNCTIONS]
    if functions:
        yield ""
        yield from _table(functions, sessions, style)
    left_out = len(answer["functions"]) - len(functions) + answer["functions_left_out"]
    if left_out:
        yield style.dim(f"  … and {count_text(left_out, 'function')} more{'' if everything else '; --all shows them'}")
    if len(sessions) > _WORKERS:
        yield style.dim(f"  … and {count_text(len(sessions) - _WORKERS, 'worker')} more; the tab shows them")
    yield ""
    yield style.dim(plain(f"  {answer['waiting']}"))


def _table(functions: list[dict[str, Any]], sessions: list[dict[str, Any]], style: Style) -> Iterator[str]:
    """Traces and seconds of tracing per worker; `≠` marks functions that the workers did not trace alike."""
    known = sessions[0]["waited_seconds"] is not None
    head = ["", *(f"worker {session['worker']}" for session in sessions[:_WORKERS])]
    rows = [[*_row(function), *([_waited(function["waited_seconds"])] if known else [])] for function in functions]
    if known:
        head.append("waited for it, up to")
        rows.append(["waited, up to", *(_waited(session["waited_seconds"]) for session in sessions[:_WORKERS]), ""])
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]
    yield style.dim("    " + _padded(head, widths))
    for number, row in enumerate(rows):
        differs = number < len(functions) and functions[number]["differs"]
        mark = style.warn("  ≠ ") if differs else "    "
        yield mark + _padded(row, widths)


def _row(function: dict[str, Any]) -> list[str]:
    cells = [plain(function["name"])]
    for counts in function["workers"][:_WORKERS]:
        if counts is None:
            cells.append("–")
            continue
        failed = f" + {counts['failed_traces']} failed" if counts["failed_traces"] else ""
        cells.append(f"{count_text(counts['traces'], 'trace')}{failed}, {seconds_text(counts['trace_seconds'])}")
    return cells


def _waited(seconds: float) -> str:
    return seconds_text(seconds) if seconds else "–"


def _padded(cells: list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
