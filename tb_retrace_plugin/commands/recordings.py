"""Opening a logdir for a verb that reads recordings."""

from __future__ import annotations

import os
import sys

from tb_retrace_plugin.analysis.sessions.notices import notices
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.commands.terminal import make_printable, plain
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs

HOW_TO_RECORD = "Record with `tb-retrace run --logdir {logdir} train.py`, RetraceCallback or record; see the README."


class NothingRecorded(Exception):
    """There is no recording to look at; the message says why and what to do."""


def open_logdir(logdir: str, *, tell: bool = True) -> Store:
    """All recordings below a directory. `tell`: says on stderr what was lost or could not be read.

    Raises NothingRecorded.
    """
    logdir = os.path.expanduser(logdir)
    if "://" in logdir:
        raise NothingRecorded(f"{logdir} is not a local directory. Copy the recording here first.")
    if not os.path.exists(logdir):
        raise NothingRecorded(f"no such directory: {logdir}")
    store = Store(FileGraphs(logdir).blob)
    store.add(read_logdir(logdir))
    if tell:
        make_printable(sys.stderr)
        for problem in notices(store):
            print(plain(f"tb-retrace: {problem.severity}: {problem.text}"), file=sys.stderr)
    if not store.sessions:
        raise NothingRecorded(f"no recording below {logdir}. {HOW_TO_RECORD.format(logdir=logdir)}")
    return store


def fail(verb: str, text: str) -> int:
    """Says what the user must set right. Returns 2."""
    make_printable(sys.stderr)
    lines = [plain(line) for line in text.splitlines()]
    print(f"tb-retrace {verb}: " + "\n".join(lines), file=sys.stderr)
    return 2


def names_text(names: list[str]) -> str:
    """`a`, `b`: names to choose from; the first of many."""
    shown = [plain(name) for name in names[:12]]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")
