"""Stores from synthetic recordings."""

from __future__ import annotations

from pathlib import Path

from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.files import read_logdir
from tests.support.logdirs import EventFile, Recording


def new_recording(directory: Path, session: str = "session-1") -> Recording:
    """A recording that has begun in `<directory>/fit`."""
    return Recording(EventFile(directory / "fit"), session).start()


def load(directory: Path) -> Store:
    """Everything below `directory`, as one batch."""
    store = Store()
    store.add(read_logdir(str(directory)))
    return store
