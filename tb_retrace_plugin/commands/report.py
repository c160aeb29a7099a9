"""`tb-retrace report LOGDIR`: what was traced again, why, and what it cost."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from tb_retrace_plugin.analysis.exports.chrome_trace import chrome_trace
from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.exports.traces_csv import traces_csv
from tb_retrace_plugin.analysis.sessions.notices import notices
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.commands.recordings import names_text
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs

_HOW_TO_RECORD = """\
Record in one of these ways, then ask again:
  without a change to the program:
    tb-retrace run --logdir {logdir} train.py
  with Keras:
    from tb_retrace_plugin import RetraceCallback
    model.fit(..., callbacks=[RetraceCallback({logdir!r})])
  around anything else:
    from tb_retrace_plugin import record
    with record({logdir!r}):
        ..."""


_WRITERS = {"csv": traces_csv, "chrome-trace": chrome_trace}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "report",
        help="say what was traced again, why, and what it cost",
        description="Says which functions were traced again in the recordings below LOGDIR, why, and what it cost.",
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="directory given to RetraceCallback, record or tb-retrace run")
    parser.add_argument(
        "--format",
        choices=("text", "json", *_WRITERS),
        default="text",
        help="json: see docs/report_json.md; csv, chrome-trace (for Perfetto): see docs/export.md",
    )
    parser.add_argument("--session", metavar="ID", help="only this one of the recordings, for any format but text")
    parser.add_argument("--all", action="store_true", help="every trace, first ones and long lists of alike ones too")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Prints the report. Returns 0; 2 if there is nothing to report on."""
    logdir = os.path.expanduser(args.logdir)
    if "://" in logdir:
        return _fail(f"{logdir} is not a local directory. Copy the recording here first.")
    if not os.path.exists(logdir):
        return _fail(f"no such directory: {logdir}")
    store = Store(FileGraphs(logdir).blob)
    store.add(read_logdir(logdir))
    make_printable(sys.stderr)
    for problem in notices(store):
        print(plain(f"tb-retrace: {problem.severity}: {problem.text}"), file=sys.stderr)
    if not store.sessions:
        return _fail(f"no recording below {logdir}.\n{_HOW_TO_RECORD.format(logdir=logdir)}")
    if args.session is not None and args.format == "text":
        return _fail("--session is for --format json, csv and chrome-trace.")
    if args.session is not None and store.session(args.session) is None:
        return _fail(f"no session {args.session}; there are {names_text([session.id for session in store.sessions])}.")
    sessions = [session for session in store.sessions if args.session in (None, session.id)]
    make_printable(sys.stdout)
    if args.format in _WRITERS:
        for piece in _WRITERS[args.format](sessions):
            sys.stdout.buffer.write(piece.encode())  # the same bytes as the tab's, whatever the terminal takes
    elif args.format == "json":
        json.dump(report(store, sessions), sys.stdout, indent=1, allow_nan=False)
        print()
    else:
        for line in report_lines(store, everything=args.all, style=Style.of(sys.stdout)):
            print(line)
    return 0


def _fail(text: str) -> int:
    make_printable(sys.stderr)
    print(f"tb-retrace: {text}", file=sys.stderr)
    return 2
