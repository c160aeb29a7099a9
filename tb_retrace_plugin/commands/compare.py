"""`tb-retrace compare LOGDIR_A LOGDIR_B`: before and after a change, side by side."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tb_retrace_plugin.analysis.pages.compare_runs import MATCHES, compare_runs
from tb_retrace_plugin.analysis.sessions.wording import seconds_text
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, open_logdir
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.explain.words.place import short_path

#: Functions that were traced as often in both and are listed.
_SAME_SHOWN = 8


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "compare",
        help="two recordings side by side, before and after a change",
        description="Compares two recordings: traces, seconds and causes of each function, matched by its code.",
    )
    parser.add_argument("logdir_a", metavar="LOGDIR_A", help="directory with recordings, before")
    parser.add_argument("logdir_b", metavar="LOGDIR_B", help="directory with recordings, after")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: see docs/compare.md")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Returns 0, whatever is found; 2 if one of the two is not there."""
    try:
        a, b = open_logdir(args.logdir_a), open_logdir(args.logdir_b)
    except NothingRecorded as error:
        return fail("compare", str(error))
    compared = compare_runs(a.sessions, b.sessions)
    make_printable(sys.stdout)
    if args.format == "json":
        print(json.dumps(compared, indent=1, allow_nan=False))
    else:
        for line in compare_lines(compared, Style.of(sys.stdout)):
            print(line)
    return 0


def compare_lines(compared: dict[str, Any], style: Style) -> Iterator[str]:
    """The answer first, then a table."""
    yield style.bold(style.code(plain(compared["sentence"])))
    if compared["detail"]:
        yield plain(compared["detail"])
    for text in compared["notices"]:
        yield style.dim(f"note: {plain(text)}")
    rows = [row for row in compared["functions"] if row["change"] != "same" or row["causes_new"]]
    same = [row for row in compared["functions"] if row["change"] == "same" and not row["causes_new"]]
    yield ""
    yield from _table(rows, compared, style)
    if same:
        names = [plain(row["name"]) for row in same[:_SAME_SHOWN]]
        more = f" and {len(same) - len(names)} more" if len(same) > len(names) else ""
        yield ""
        yield style.dim(f"As often in both: {', '.join(names)}{more}.")


def _table(rows: list[dict[str, Any]], compared: dict[str, Any], style: Style) -> Iterator[str]:
    times = {"lost": "seconds_lost", "tracing": "trace_seconds", "first executions": "first_call_seconds"}
    if any(compared[side]["lookup_seconds"] for side in "ab"):
        times["lookups"] = "lookup_seconds"
    header = ("", "traces", *times)
    cells = [(_name(row), *_cells(row["a"], row["b"], times.values())) for row in rows]
    cells.append(("all functions", *_cells(compared["a"], compared["b"], times.values())))
    widths = [max(len(line[i]) for line in [header, *cells]) for i in range(len(header))]
    yield style.dim("  ".join(text.ljust(width) for text, width in zip(header, widths, strict=True)).rstrip())
    for row, line in zip([*rows, None], cells, strict=True):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        change = row["change"] if row is not None else ""
        yield style.warn(text) if change == "worse" else text
        for extra in _details(row) if row is not None else ():
            yield style.dim(f"    {plain(extra)}")


def _name(row: dict[str, Any]) -> str:
    code = row["code_b"] or row["code_a"]
    return plain(f"{row['name']}  {short_path(code['file'])}:{code['line']}")


def _cells(a: dict[str, Any] | None, b: dict[str, Any] | None, keys: Iterable[str]) -> tuple[str, ...]:
    counts = f"{_count(a)} → {_count(b)}"
    times = []
    for key in keys:
        times.append(" → ".join(seconds_text(side[key]) if side is not None else "–" for side in (a, b)))
    return (counts, *times)


def _count(side: dict[str, Any] | None) -> str:
    if side is None:
        return "–"
    text = f"{side['traces']:,}"
    if side["failed_traces"]:
        text += f" + {side['failed_traces']} failed"
    if side["recompilations"]:
        text += f" + {side['recompilations']} by XLA"
    return text


def _details(row: dict[str, Any]) -> Iterator[str]:
    a, b = row["code_a"], row["code_b"]
    if row["matched"] in ("moved", "renamed"):
        yield f"before: {a['qualname']} in {short_path(a['file'])}:{a['line']} ({MATCHES[row['matched']]})"
    if row["change"] in ("new", "gone"):
        yield "only after" if row["change"] == "new" else "only before"
    for word, side in (("before", row["a"]), ("after", row["b"])):
        if side is not None and side["causes"]:
            causes = [f"{cause.replace('_', ' ')} {count}" for cause, count in side["causes"].items()]
            yield f"{word}: retraced by {', '.join(causes)}"
    if b is not None and row["causes_new"] and a is not None:
        yield f"new: {', '.join(cause.replace('_', ' ') for cause in row['causes_new'])}"
